import { syncOf, type SyncRequestRecord } from '../../../shared/store/syncRecords.js';
import {
  isProofOfDeletion,
  onRefusal,
  PlatformAnswerError,
  PlatformAway,
  PlatformRefused,
} from '../../../shared/discordApi/platformErrors.js';
import { listServers } from '../../../shared/discordApi/listServers.js';
import { placeRequest, threadRequest } from '../../../shared/discordApi/requests.js';
import { findGathered } from '../../../shared/store/gather.js';
import { isLive } from '../../../shared/store/sourceTime.js';
import { requireContentIntent } from './contentIntent.js';
import { listThreads } from './listThreads.js';
import { suspendServer, NOT_THERE } from './suspend.js';
import { loadServer } from './loadServer.js';
import { NotSynced } from './syncProblem.js';
import { noteThreads } from './noteThreads.js';
import { readOnceMore } from './repairThreads.js';
import { removeDeletedChannel, removeDeletedThread } from './removeDeleted.js';
import { isLongWithheld } from './removeWithheld.js';
import type { SyncDeps } from './syncDeps.js';
import { wasArchived } from './withholdChannels.js';

/**
 * Reads the lists that a request asks for. These note which threads are to be fetched, and others fetch them meanwhile.
 */
export async function runRequest(deps: SyncDeps, request: SyncRequestRecord): Promise<void> {
  await requireContentIntent(deps);
  const { serverId, channelId, threadId } = request;
  if (threadId !== undefined) await syncThread(deps, threadId);
  else if (channelId !== undefined) await syncChannel(deps, channelId);
  else if (serverId !== undefined) await syncServer(deps, serverId);
  else await syncAll(deps, request);
}

/**
 * Lists all servers. Where the platform is away for some of them, only these are listed when the request is served
 * again.
 */
async function syncAll(deps: SyncDeps, { _id, at, left }: SyncRequestRecord): Promise<void> {
  const errors = new Map<string, PlatformAway>();
  for (const serverId of left ?? (await findServers(deps))) {
    const error = await trySyncServer(deps, serverId);
    if (error) errors.set(serverId, error);
  }
  const [away] = errors.values();
  if (!away) return;
  const requests = syncOf(deps.collections.sync, 'request');
  await requests.updateOne({ _id, at }, { $set: { left: [...errors.keys()] } });
  throw away;
}

/**
 * Resolves with the ids of the servers that the bot is in. The bot has left the other servers that are noted, so
 * nothing more of them is synced. If the archive holds nothing of such a server, its notes are deleted.
 */
async function findServers(deps: SyncDeps): Promise<string[]> {
  const servers = await listServers(deps.platform, deps.signal);
  await noteLongWithheld(deps, servers);
  const left = syncOf(deps.collections.sync, 'server').find({
    kind: 'server',
    _id: { $nin: servers },
  });
  for await (const { _id } of left) {
    await suspendServer(deps, _id, NOT_THERE);
    const archived = await deps.collections.servers.findOne({ _id, deleted: { $ne: true } });
    if (!archived) await forgetServer(deps, _id);
  }
  return servers;
}

/**
 * Finds forums that have been withheld for a long time on servers that the bot has left, so that their messages are
 * removed. On other servers, the looks at them do that. But nobody looks at a server that the bot has left.
 */
async function noteLongWithheld(
  { collections, longWithheld }: SyncDeps,
  servers: readonly string[],
): Promise<void> {
  const withheld = { serverId: { $nin: [...servers] }, withheldAt: { $exists: true } };
  for await (const channel of collections.channels.find(withheld))
    if (isLongWithheld(channel)) longWithheld.add(channel._id);
}

/** Deletes the notes of a server. Its threads and messages are forgotten already. */
async function forgetServer({ collections: { sync } }: SyncDeps, serverId: string): Promise<void> {
  for (const kind of ['channel', 'member'] as const) await sync.deleteMany({ kind, serverId });
  await sync.deleteOne({ _id: serverId, kind: 'server' });
}

/**
 * Syncs a server. Where that fails, the other servers are synced all the same. Resolves with the error where the
 * platform is away and the server is to be tried again; else with null.
 */
async function trySyncServer(deps: SyncDeps, serverId: string): Promise<PlatformAway | null> {
  try {
    await syncServer(deps, serverId);
  } catch (error) {
    if (error instanceof PlatformAway) return error;
    if (error instanceof PlatformRefused) await suspendServer(deps, serverId, error.message);
    else if (error instanceof PlatformAnswerError) await noteProblem(deps, serverId, error);
    else throw error;
  }
  return null;
}

/** Notes that something of a server cannot be read. The rest of the server goes on. */
async function noteProblem(
  { collections: { sync }, logger }: SyncDeps,
  serverId: string,
  error: PlatformAnswerError,
): Promise<void> {
  logger.warn({ err: error, serverId }, 'A server cannot be listed');
  const problem = error.message;
  await syncOf(sync, 'server').updateOne({ _id: serverId }, { $set: { problem } });
}

async function syncServer(deps: SyncDeps, serverId: string): Promise<void> {
  const { channels } = await loadServer(deps, serverId);
  if (channels.size > 0) await listThreads(deps, serverId, [...channels.keys()]);
}

/** Lists a forum's threads. A forum that was deleted on the platform is removed here. */
async function syncChannel(deps: SyncDeps, channelId: string): Promise<void> {
  const answer = await deps.platform.get(placeRequest(channelId), deps.signal).catch(onRefusal);
  if (answer instanceof PlatformRefused) {
    const recorded = await deps.collections.channels.findOne({ _id: channelId });
    // Where an event has told the deletion, the forum is removed already.
    const wasKept = recorded !== null && (recorded.deleted === true || wasArchived(recorded));
    if (!isProofOfDeletion(answer) || !wasKept) throw answer;
    return removeDeletedChannel(deps, recorded);
  }
  const { serverId } = await loadServer(deps, answer.value.guild_id);
  await requireKept(deps, channelId);
  await listThreads(deps, serverId, [channelId]);
}

/**
 * Asks the platform for a thread, and notes that it is to be read again from its first message on. Where the thread was
 * deleted on the platform, it is removed from the archive.
 */
async function syncThread(deps: SyncDeps, threadId: string): Promise<void> {
  const answer = await deps.platform.get(threadRequest(threadId), deps.signal).catch(onRefusal);
  if (answer instanceof PlatformRefused) {
    const recorded = await findGathered(deps.collections.threads, threadId);
    // An export may tell any thread, even one that was deleted before.
    if (!isProofOfDeletion(answer) || !recorded || !isLive(recorded.asOf)) throw answer;
    return removeDeletedThread(deps, threadId);
  }
  const { value: thread, asOf } = answer;
  if (!thread) throw new NotSynced('It is not archived. It is no public thread');
  const server = await loadServer(deps, thread.guild_id);
  await requireKept(deps, thread.parent_id);
  await noteThreads(deps, server, { threads: [thread], asOf });
  await readOnceMore(deps, threadId);
}

async function requireKept(
  { collections }: SyncDeps,
  channelId: string | null | undefined,
): Promise<void> {
  const channel = await syncOf(collections.sync, 'channel').findOne({
    // A thread without a channel belongs to no forum.
    _id: channelId ?? '',
    // The first channel of an old server has the server's id.
    kind: 'channel',
  });
  if (channel?.problem === null) return;
  throw new NotSynced(`It is not archived. ${channel?.problem ?? 'It is no forum'}`);
}
