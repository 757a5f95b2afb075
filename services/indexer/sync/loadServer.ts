import { batches } from '../../../shared/platform/batches.js';
import { forEachAtOnce } from '../../../shared/platform/forEachAtOnce.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import { eraseFields } from '../../../shared/store/eraseThread.js';
import type { SourceThread } from '../../../shared/store/records.js';
import { realMicros } from '../../../shared/store/sourceTime.js';
import { ingest } from '../ingest/ingest.js';
import { mergeServer } from '../ingest/mergeHeader.js';
import { DeletedPlace, SourceConflict } from '../ingest/source.js';
import type { LiveChannel } from '../../../shared/discordApi/answerTypes.js';
import {
  channelsRequest,
  guildRequest,
  memberRequest,
  meRequest,
} from '../../../shared/discordApi/requests.js';
import { cleanName } from '../sources/cleanText.js';
import { liveChannel, liveServer } from '../sources/liveHeader.js';
import { forgetChannels } from './forgetChannels.js';
import { judgeMembersAgain } from './judgeMembersAgain.js';
import { noteRoles } from './noteRoles.js';
import { NOT_SEEN, withholdChannels } from './withholdChannels.js';
import {
  isVisibleForum,
  judgeChannel,
  judgePublicness,
  nothingToArchive,
} from '../../../shared/discordApi/judgeChannel.js';
import { rolesOf, type LoadedServer, type SyncDeps } from './syncDeps.js';

/** How many forums of a server are recorded at once. */
const AT_ONCE = 50;

/**
 * Asks the platform for a server, its roles and its channels. Records the forums that are archived, and stores for each
 * other forum the reason why it is not. Two calls for one server run one after the other, so that an older answer is
 * never applied after a newer one.
 */
export function loadServer(deps: SyncDeps, serverId: string): Promise<LoadedServer> {
  return deps.turns(serverId, () => lookAt(deps, serverId));
}

async function lookAt(deps: SyncDeps, serverId: string): Promise<LoadedServer> {
  const { platform, signal } = deps;
  const { value: guild, asOf } = await platform.get(guildRequest(serverId), signal);
  const { value: channels } = await platform.get(channelsRequest(serverId), signal);
  const forums = channels.filter(isVisibleForum);
  const isPublic = (channel: LiveChannel): boolean =>
    judgePublicness({ guild, channel, named: deps.named }) === null;
  // This is done before the bot's roles are asked for. That request may wait behind those for the roles of many
  // authors.
  const areListed = new Map(forums.map((one) => [one.id, isPublic(one)]));
  const archived = await withholdChannels(deps, serverId, areListed);
  const { value: me } = await platform.get(meRequest, signal);
  const { value: member, asOf: memberAsOf } = await platform.get(
    memberRequest(serverId, me.id),
    signal,
  );
  const bot = { userId: me.id, roleIds: member.roles };
  const judged = forums.map((channel) => ({
    channel,
    problem: judgeChannel({ guild, channel, bot, named: deps.named }),
  }));
  const server: LoadedServer = {
    serverId,
    asOf,
    told: liveServer(guild),
    channels: new Map(),
    ...rolesOf(guild, deps),
  };
  // Forums that are recorded at once go into one transaction.
  await forEachAtOnce(judged, AT_ONCE, async (one) => {
    if (one.problem !== null) return;
    const told = liveChannel(one.channel, guild, categoryOf(one.channel, channels));
    one.problem = await recordChannel(deps, server, told);
    if (one.problem === null) server.channels.set(one.channel.id, told);
  });
  if (server.channels.size === 0) await recordServer(deps, server);
  await noteChannels(deps, server, { judged, archived });
  deps.servers.set(serverId, server);
  await judgeMembersAgain(deps, server);
  // Events about the bot itself only cause a look at the server. So its roles are noted here.
  await noteRoles(deps, { serverId, ...bot, asOf: memberAsOf });
  return server;
}

function categoryOf(
  { parent_id: id }: LiveChannel,
  channels: readonly LiveChannel[],
): string | null {
  return channels.find((one) => one.id === id)?.name ?? null;
}

/** Resolves with the reason why a channel cannot be recorded; with null where it was recorded. */
async function recordChannel(
  deps: SyncDeps,
  { told: server, asOf }: LoadedServer,
  channel: SourceThread['channel'],
): Promise<string | null> {
  try {
    await ingest(deps, { told: { asOf, server, channel, thread: null } }, batches([]));
    return null;
  } catch (error) {
    if (error instanceof DeletedPlace || error instanceof SourceConflict) return error.message;
    throw error;
  }
}

/**
 * Records what the platform tells of a server that this archive knows. Usually that is recorded with each archived
 * forum. This function is for a server whose last public forum became private. Readers still see its name, which may
 * change.
 */
async function recordServer(
  { commit }: SyncDeps,
  { serverId, told, asOf }: LoadedServer,
): Promise<void> {
  await commit({
    reads: { servers: [serverId], state: ['erasures'] },
    decide(documents) {
      const known = documents.get('servers', serverId);
      if (!known || known.deleted) return;
      mergeServer(documents, eraseFields(told, documents.erased()), { asOf });
    },
  });
}

/**
 * Notes what a look at a server has found, for the status. `judged` are the forums that the platform lists, each with
 * the reason for which it is not archived. `archived` are the ids of the forums that were archived. One of these that
 * is not listed is noted as not seen, unless it was deleted, because then it has no note. The notes of all other forums
 * that are not listed are deleted.
 */
async function noteChannels(
  { collections }: SyncDeps,
  { serverId, asOf, told }: LoadedServer,
  {
    judged,
    archived,
  }: {
    judged: readonly { channel: LiveChannel; problem: string | null }[];
    archived: readonly string[];
  },
): Promise<void> {
  const { sync } = collections;
  const erased = await erasedPeople(collections);
  const withName = (name: string) => eraseFields({ name }, erased);
  const checkedAt = new Date(realMicros(asOf) / 1_000);
  const listed = judged.map(({ channel }) => channel.id);
  const kept = judged.filter((one) => one.problem === null).map(({ channel }) => channel.id);
  // When a forum ceased to be archived, it was perhaps not forgotten. So it is forgotten when it is archived again.
  const isBack = { _id: { $in: kept }, problem: { $ne: null } };
  await forgetChannels(sync, { serverId, $or: [{ _id: { $nin: kept } }, isBack] });
  const notes = judged.map(({ channel: { id, name }, problem }) => ({
    updateOne: {
      filter: { _id: id, kind: 'channel' as const },
      update: {
        $set: { serverId, ...withName(cleanName(name, 'forum')), checkedAt, problem },
        // The forum is listed now. So when it is not listed later, no earlier refusal may delay asking why.
        $unset: { refusedAt: '' as const },
      },
      upsert: true,
    },
  }));
  const isUnlisted = { kind: 'channel' as const, serverId, _id: { $nin: listed } };
  const isUnknown = { ...isUnlisted, _id: { $nin: [...listed, ...archived] } };
  await sync.bulkWrite([
    { deleteMany: { filter: isUnknown } },
    { updateMany: { filter: isUnlisted, update: { $set: { problem: NOT_SEEN, checkedAt } } } },
    ...notes,
    {
      updateOne: {
        filter: { _id: serverId, kind: 'server' },
        update: { $set: { ...withName(told.name), checkedAt, problem: nothingToArchive(judged) } },
        upsert: true,
      },
    },
  ]);
}
