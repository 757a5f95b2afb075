import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Filter } from 'mongodb';
import { syncOf, type SyncThread } from '../../../shared/store/syncRecords.js';
import type { SyncDeps } from './syncDeps.js';

/** Each thread is read once more this often at least, as far as the pace allows. */
const DAY_MS = 86_400_000;

/**
 * Has threads read once more while nothing else is left to fetch, one in each `everyMs`, the most recently active first:
 * those that were not read since events tell everything (without events, since this process took the lease), or for a
 * day. So edits and deletions are found that were missed.
 */
export async function repairThreads(deps: SyncDeps, everyMs: number): Promise<void> {
  const { collections, servers, listening, signal } = deps;
  const threads = syncOf(collections.sync, 'thread');
  const began = new Date();
  while (!signal.aborted) {
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
    const isBusy = (await threads.countDocuments(LEFT, { limit: 1 })) > 0;
    if (isBusy) continue;
    const missedUntil = listening.since ?? began;
    await readOnceMore(deps, {
      kind: 'thread',
      channelId: { $in: [...servers.values()].flatMap((server) => [...server.channels.keys()]) },
      todo: { $exists: false },
      readAt: { $lt: new Date(Math.max(missedUntil.getTime(), Date.now() - DAY_MS)) },
    });
  }
}

const LEFT = { todo: { $exists: true } };

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
