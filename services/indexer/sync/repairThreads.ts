import { randomUUID } from 'node:crypto';
import type { Filter } from 'mongodb';
import { syncOf, type SyncThread } from '../../../shared/store/syncRecords.js';
import { rest } from './rest.js';
import { channelsOf, type SyncDeps } from './syncDeps.js';

/**
 * Has threads read once more while nothing else is left to fetch, one in each `everyMs`, the most recently active
 * first: those that were not read since events tell everything (without events, since this process took the lease), or
 * for `afterMs`. So edits and deletions are found that were missed.
 */
export async function repairThreads(
  deps: SyncDeps,
  { everyMs, afterMs }: { everyMs: number; afterMs: number },
): Promise<void> {
  const { collections, servers, listening, signal } = deps;
  const threads = syncOf(collections.sync, 'thread');
  const began = new Date();
  while (!signal.aborted) {
    await rest(everyMs, signal);
    const ofServed = { kind: 'thread' as const, channelId: { $in: channelsOf(servers) } };
    const left = { ...ofServed, todo: { $exists: true } };
    if (await threads.findOne(left, { hint: 'todo_recent' })) continue;
    const missedUntil = listening.since ?? began;
    await readOnceMore(deps, {
      ...ofServed,
      todo: { $exists: false },
      // One whose reading was cut off, and went on later, has an earlier time, or none.
      readAt: { $not: { $gte: new Date(Math.max(missedUntil.getTime(), Date.now() - afterMs)) } },
    });
  }
}

/** Has a thread read from its first message on: of several, the most recently active one. */
export async function readOnceMore(
  { collections }: Pick<SyncDeps, 'collections'>,
  which: Filter<SyncThread>,
): Promise<void> {
  await syncOf(collections.sync, 'thread').findOneAndUpdate(
    which,
    {
      $set: { todo: 'all', token: randomUUID(), after: '0', fetched: 0 },
      $unset: { since: '', dueAt: '' },
    },
    { sort: { recent: -1 } },
  );
}
