import type { Filter } from 'mongodb';
import { syncOf, type SyncThread } from '../../../shared/store/syncRecords.js';
import { isPermanent, isTransient } from '../permanentErrors.js';
import {
  isProofOfDeletion,
  PlatformAway,
  PlatformForbidden,
} from '../../../shared/discordApi/platformErrors.js';
import { fetchThread } from './fetchThread.js';
import { noteAway } from './noteAway.js';
import { removeDeletedThread } from './removeDeleted.js';
import { suspendChannel } from './suspend.js';
import { rest } from '../rest.js';
import { channelsOf, type SyncDeps } from './syncDeps.js';
import { createTasks } from './tasks.js';

/** How many threads are fetched at once. Each waits for its own limit, and so many use up the limit over all routes. */
const AT_ONCE = 32;
const LOOK_EVERY_MS = 250;
/**
 * After a look for threads to be fetched, the next look waits for this multiple of the time that the look took. A look
 * steps over the threads of servers that were not looked at yet, or that the bot has left, and there may be hundreds
 * of thousands of these.
 */
const REST_FACTOR = 4;
/** How long (ms) until a thread that could not be fetched is tried again. */
export const AGAIN_AFTER_MS = 30_000;

/**
 * Fetches the messages of threads that are noted for it, most recently active threads first, until the signal is
 * aborted. Threads that failed come last. Each of them may hold its place for minutes, and when a part of the platform
 * is away, many of them fail.
 */
export async function fetchThreads(deps: SyncDeps): Promise<void> {
  const tasks = createTasks(deps);
  const underWay = new Map<string, Promise<void>>();
  const begin = async (): Promise<void> => {
    while (!deps.signal.aborted) {
      const began = performance.now();
      const room = AT_ONCE - underWay.size;
      const due = room > 0 ? await dueThreads(deps, [...underWay.keys()], room) : [];
      const tookMs = performance.now() - began;
      for (const thread of due) {
        const ended = tryThread(deps, thread).finally(() => underWay.delete(thread._id));
        underWay.set(thread._id, ended);
        tasks.start(() => ended);
      }
      // Where there was no room for more, a place that becomes free is taken at once. Many of the others may be held for
      // minutes.
      const freed = due.length === room ? underWay.values() : [];
      const restMs = Math.max(LOOK_EVERY_MS, REST_FACTOR * tookMs);
      await Promise.race([...freed, rest(restMs, deps.signal)]);
    }
  };
  // Where this fails, the threads under way are ended, and waited for.
  tasks.start(begin);
  await tasks.end();
}

/** A filter for the threads that are to be fetched now. A thread that failed waits for its time. */
export function toFetchNow(servers: SyncDeps['servers']): Filter<SyncThread> {
  return {
    todo: { $in: ['new', 'all'] },
    channelId: { $in: channelsOf(servers) },
    dueAt: { $not: { $gt: new Date() } },
  };
}

/**
 * The threads to be fetched next. A thread that has not failed has no `dueAt`, and comes before the others. Of threads in
 * other channels, MongoDB reads the keys of an index alone.
 */
async function dueThreads(
  { collections, servers }: SyncDeps,
  besides: string[],
  limit: number,
): Promise<SyncThread[]> {
  return syncOf(collections.sync, 'thread')
    .find({ ...toFetchNow(servers), _id: { $nin: besides } })
    .sort({ dueAt: 1, recent: -1 })
    .limit(limit)
    .toArray();
}

/** Fetches a thread. A problem of this thread alone is noted. An error that stops the whole sync is thrown. */
async function tryThread(deps: SyncDeps, thread: SyncThread): Promise<void> {
  const server = deps.servers.get(thread.serverId);
  // The server was suspended after the thread was looked for.
  if (!server) return;
  try {
    await fetchThread(deps, thread);
  } catch (error) {
    if (deps.signal.aborted) return;
    if (isProofOfDeletion(error)) return removeDeletedThread(deps, thread._id, thread);
    if (error instanceof PlatformForbidden) {
      // Its other threads would be refused, too. After a look meanwhile, the thread is still to be fetched, and is asked
      // for once more.
      return suspendChannel(deps, server, thread.channelId, error.message);
    }
    const isPast = error instanceof PlatformAway || isTransient(error);
    if (!isPast && !isPermanent(error)) throw error;
    if (error instanceof PlatformAway) await noteAway(deps, error);
    await noteFailure(deps, thread, isPast ? null : (error as Error).message);
  }
}

/**
 * Notes why a thread could not be fetched. After a transient fault, the thread is tried again later. A fault of the
 * thread itself stays until the platform tells something new of the thread, or it is the thread's turn to be read once
 * more.
 */
async function noteFailure(
  { collections: { sync }, logger }: SyncDeps,
  { _id, token }: SyncThread,
  problem: string | null,
): Promise<void> {
  if (problem !== null) logger.warn({ threadId: _id, problem }, 'A thread cannot be fetched');
  const now = new Date();
  const dueAt = new Date(now.getTime() + AGAIN_AFTER_MS);
  await syncOf(sync, 'thread').updateOne(
    { _id, token: token! },
    problem === null
      ? { $set: { dueAt } }
      : { $set: { problem, readAt: now }, $unset: { todo: '', token: '' } },
  );
}
