import type { ChannelRecord } from '../../../shared/store/records.js';
import { isLive } from '../../../shared/store/sourceTime.js';
import { isProofOfDeletion, PlatformRefused } from '../../../shared/discordApi/platformErrors.js';
import { placeRequest } from '../../../shared/discordApi/requests.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import { commitHeld } from './commitHeld.js';
import { forgetChannels } from './forgetChannels.js';
import { removeDeletedChannel } from './removeDeleted.js';
import { isLongWithheld } from './removeWithheld.js';
import type { SyncDeps } from './syncDeps.js';

/** The reason why a forum that is not listed any more is not archived. */
export const NOT_SEEN = 'The bot cannot see it';

/**
 * How long (ms) until the platform is asked again whether a hidden forum was deleted. Each such request is refused, and
 * the platform bans an address after many refusals.
 */
const ASKED_AGAIN_AFTER_MS = 6 * 3_600_000;

/**
 * Withholds the archived forums of a server that are not public any more, so that readers see nothing of them. This
 * comes first, because the rest of a look may fail or take a long time. A forum that is public again is shown again. A
 * forum that is not listed any more is deleted here if the platform says that it was deleted. Otherwise the bot cannot
 * see it. As the bot has the role of everyone, not everyone can see it then. `listed` tells by id whether a listed
 * forum is public. Resolves with the ids of the forums that were archived.
 */
export async function withholdChannels(
  deps: SyncDeps,
  serverId: string,
  listed: ReadonlyMap<string, boolean>,
): Promise<string[]> {
  const recorded = await deps.collections.channels.find({ serverId }).toArray();
  const channels = recorded.filter(wasArchived);
  const isPublic = ({ _id }: ChannelRecord): boolean => listed.get(_id) === true;
  const hidden = channels.filter((channel) => !isPublic(channel));
  for (const channel of hidden) await withhold(deps, channel);
  for (const channel of channels.filter(isPublic)) await show(deps, channel);
  for (const channel of hidden) {
    const isGone = !listed.has(channel._id) && (await wasDeleted(deps, channel));
    if (isGone) await removeDeletedChannel(deps, channel);
    else if (isLongWithheld(channel)) deps.longWithheld.add(channel._id);
  }
  return channels.map(({ _id }) => _id);
}

/**
 * Whether a forum was ever archived from the platform, and not only from an export. For a forum that was deleted here,
 * this is no longer known.
 */
export function wasArchived({ stamps }: ChannelRecord): boolean {
  return Object.values(stamps).some(isLive);
}

/**
 * Asks the platform whether a forum was deleted that is not listed any more. A refusal is remembered until the forum is
 * listed again. Until then, the platform is asked only every few hours.
 */
async function wasDeleted(deps: SyncDeps, channel: ChannelRecord): Promise<boolean> {
  const askedAgainFrom = new Date(Date.now() - ASKED_AGAIN_AFTER_MS);
  const refused = { _id: channel._id, refusedAt: { $gt: askedAgainFrom } };
  if (await syncOf(deps.collections.sync, 'channel').findOne(refused)) return false;
  try {
    await deps.platform.get(placeRequest(channel._id), deps.signal);
    return false;
  } catch (error) {
    if (!(error instanceof PlatformRefused)) throw error;
    if (isProofOfDeletion(error)) return true;
    await noteRefusal(deps, channel);
    return false;
  }
}

/** Notes a refusal. After a restore, the sync has no note of a hidden forum, so it is made here. */
async function noteRefusal(
  { collections: { sync } }: SyncDeps,
  { _id, serverId, name }: ChannelRecord,
): Promise<void> {
  const now = new Date();
  await syncOf(sync, 'channel').updateOne(
    { _id, kind: 'channel' },
    {
      $set: { refusedAt: now },
      $setOnInsert: { serverId, name, checkedAt: now, problem: NOT_SEEN },
    },
    { upsert: true },
  );
}

/** Withholds a forum. Nothing more of it is fetched, even while the look goes on. */
async function withhold(deps: SyncDeps, channel: ChannelRecord): Promise<void> {
  deps.servers.get(channel.serverId)?.channels.delete(channel._id);
  if (channel.withheldAt) return;
  const causes = [`withhold/${channel._id}`];
  await change(deps, channel, causes, (now) => ({ ...now, withheldAt: new Date() }));
}

/**
 * Shows a forum again. While the forum was withheld, nothing new of it was recorded, so the sync has to read it from its
 * beginning. To make it do so, this forgets how far it has read. The look that withheld the forum does that, too, but it
 * may have failed before.
 */
async function show(deps: SyncDeps, channel: ChannelRecord): Promise<void> {
  if (!channel.withheldAt) return;
  await forgetChannels(deps.collections.sync, { _id: channel._id });
  await change(deps, channel, [], ({ withheldAt: _withheldAt, ...shown }) => shown);
}

/**
 * Changes a forum, and has its threads built again. The build of a withheld thread removes all that readers see of it.
 */
async function change(
  deps: SyncDeps,
  { _id, serverId }: ChannelRecord,
  causes: readonly string[],
  next: (channel: ChannelRecord) => ChannelRecord,
): Promise<void> {
  await commitHeld(deps, {
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
