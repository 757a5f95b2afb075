import { randomUUID } from 'node:crypto';
import type { Filter } from 'mongodb';
import { NOTHING_FETCHED, syncOf, type SyncThread } from '../../../shared/store/syncRecords.js';
import { toFetchNow } from './fetchThreads.js';
import { rest } from '../rest.js';
import { channelsOf, type SyncDeps } from './syncDeps.js';

type Deps = Pick<SyncDeps, 'collections' | 'servers'>;

/** How many threads are looked through to find one that was active lately. */
const MOST_RECENT = 1_000;

/**
 * Notes that threads are to be read once more, one in each `everyMs`, while nothing else is to be fetched. A thread is
 * due in two cases: it was not read since events began to tell everything (without events, since this process took the
 * lease), or it was not read for `afterMs`. This finds edits and deletions that were missed. Of the due threads, it
 * takes the most recently active one and the one that was read longest ago in turns. Otherwise threads that are seldom
 * active would never be read.
 */
export async function repairThreads(
  deps: SyncDeps,
  { everyMs, afterMs }: { everyMs: number; afterMs: number },
): Promise<void> {
  const { listening, signal } = deps;
  const began = new Date();
  let takesRecent = true;
  while (!signal.aborted) {
    await rest(everyMs, signal);
    if (await isFetching(deps)) continue;
    const missedUntil = listening.since ?? began;
    const before = new Date(Math.max(missedUntil.getTime(), Date.now() - afterMs));
    const recent = takesRecent ? await mostRecent(deps, before) : null;
    const next = recent ?? (await readLongestAgo(deps, before));
    if (next === null) continue;
    await readOnceMore(deps, next);
    takesRecent = !takesRecent;
  }
}

async function isFetching({ collections, servers }: Deps): Promise<boolean> {
  return (await syncOf(collections.sync, 'thread').findOne(toFetchNow(servers))) !== null;
}

/** A filter for threads that were not read from their first message on since a moment. */
function unreadSince({ servers }: Deps, before: Date): Filter<SyncThread> {
  return {
    channelId: { $in: channelsOf(servers) },
    todo: { $exists: false },
    // Where a reading was cut off and went on later, the thread has an earlier time, or none.
    readAt: { $not: { $gte: before } },
  };
}

async function mostRecent(deps: Deps, before: Date): Promise<string | null> {
  const [found] = await syncOf(deps.collections.sync, 'thread')
    .aggregate<{ _id: string }>(
      [
        { $match: { kind: 'thread' } },
        { $sort: { recent: -1 } },
        { $limit: MOST_RECENT },
        { $match: unreadSince(deps, before) },
        { $limit: 1 },
        { $project: { _id: 1 } },
      ],
      { hint: 'kind_recent' },
    )
    .toArray();
  return found?._id ?? null;
}

async function readLongestAgo(deps: Deps, before: Date): Promise<string | null> {
  const found = await syncOf(deps.collections.sync, 'thread').findOne(
    { kind: 'thread', ...unreadSince(deps, before) },
    { sort: { readAt: 1 }, hint: 'kind_readAt', projection: { _id: 1 } },
  );
  return found?._id ?? null;
}

/**
 * Notes that all threads of a server are to be read once more in their turn, because events may have been missed.
 * Threads that were read since events began count as unread. A reading that is under way began earlier, so it does not
 * count either.
 */
export async function countAsUnread(
  { collections, listening }: Pick<SyncDeps, 'collections' | 'listening'>,
  serverId: string,
): Promise<void> {
  const threads = syncOf(collections.sync, 'thread');
  const ofServer = { kind: 'thread' as const, serverId };
  const isRead = { readAt: { $gte: listening.since ?? new Date(0) } };
  await threads.updateMany(
    { ...ofServer, todo: { $exists: true } },
    { $set: { token: randomUUID() } },
  );
  await threads.updateMany({ ...ofServer, ...isRead }, { $unset: { readAt: '' } });
}

/** Notes that a thread is to be read again from its first message on. */
export async function readOnceMore(
  { collections }: Pick<SyncDeps, 'collections'>,
  threadId: string,
): Promise<void> {
  await syncOf(collections.sync, 'thread').updateOne(
    { _id: threadId },
    {
      $set: { todo: 'all', token: randomUUID(), ...NOTHING_FETCHED },
      $unset: { since: '', dueAt: '' },
    },
  );
}
