import type { ChannelRecord } from '../../../shared/store/records.js';
import { isLive } from '../../../shared/store/sourceTime.js';
import { recordChannelDeletion } from '../jobs/deletePlaces.js';
import { isProofOfDeletion, PlatformRefused } from '../../../shared/discordApi/platformErrors.js';
import { placeRequest } from '../../../shared/discordApi/requests.js';
import { isLongWithheld } from './removeWithheld.js';
import type { SyncDeps } from './syncDeps.js';

/**
 * Withholds those forums of a server that were archived, and are not public any more: nothing of them is read. This
 * comes first, as the rest may fail. One that is public again is shown again. One that is not listed any more is deleted
 * here, too, if the platform says that it was deleted. Otherwise the bot cannot see it, and so not everyone can, as the
 * bot has the role of everyone.
 */
export async function withholdChannels(
  deps: SyncDeps,
  serverId: string,
  judged: readonly { channel: { id: string }; isPrivate: boolean }[],
): Promise<void> {
  const found = new Map(judged.map(({ channel, isPrivate }) => [channel.id, isPrivate]));
  const recorded = await deps.collections.channels
    .find({ serverId, deleted: { $ne: true } })
    .toArray();
  const channels = recorded.filter(wasArchived);
  const isPublic = ({ _id }: ChannelRecord): boolean => found.get(_id) === false;
  const hidden = channels.filter((channel) => !isPublic(channel));
  for (const channel of hidden) await withhold(deps, channel);
  for (const channel of channels.filter(isPublic)) await show(deps, channel);
  for (const channel of hidden) {
    const isGone = !found.has(channel._id) && (await wasDeleted(deps, channel._id));
    if (isGone) deps.removals.add(await recordChannelDeletion(deps, channel._id));
    else if (isLongWithheld(channel)) deps.longWithheld.add(channel._id);
  }
}

/** Whether a forum was ever archived: the platform told something of it, and not only an export. */
function wasArchived({ stamps }: ChannelRecord): boolean {
  return Object.values(stamps).some(isLive);
}

async function wasDeleted({ platform, signal }: SyncDeps, channelId: string): Promise<boolean> {
  try {
    await platform.get(placeRequest(channelId), signal);
    return false;
  } catch (error) {
    if (error instanceof PlatformRefused) return isProofOfDeletion(error);
    throw error;
  }
}

async function withhold(deps: SyncDeps, channel: ChannelRecord): Promise<void> {
  if (channel.withheldAt) return;
  const causes = [`withhold/${channel._id}`];
  await change(deps, channel, causes, (now) => ({ ...now, withheldAt: new Date() }));
}

async function show(deps: SyncDeps, channel: ChannelRecord): Promise<void> {
  if (!channel.withheldAt) return;
  await change(deps, channel, [], ({ withheldAt: _withheldAt, ...shown }) => shown);
}

/** Has a forum's threads built again: of a withheld one they are taken out of everything that is read. */
async function change(
  deps: SyncDeps,
  { _id, serverId }: ChannelRecord,
  causes: readonly string[],
  next: (channel: ChannelRecord) => ChannelRecord,
): Promise<void> {
  await deps.commit({
    reads: { channels: [_id] },
    decide(documents) {
      const channel = documents.get('channels', _id);
      if (!channel || channel.deleted) return;
      documents.put('channels', next(channel));
      documents.mark('channel', _id, { causes });
      documents.mark('server', serverId);
    },
  });
}
