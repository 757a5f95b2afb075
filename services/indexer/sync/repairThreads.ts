import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { syncOf } from '../../../shared/store/syncRecords.js';
import type { SyncDeps } from './syncDeps.js';

/** Each thread is read once more this often at least, as far as the pace allows. */
const DAY_MS = 86_400_000;

/**
 * Has threads read once more while nothing else is left to fetch, one in each `everyMs`, the most recently active first:
 * those that were not read since this process took the lease, or for a day. So edits and deletions are found that no list
 * tells of, and what was missed while no process ran.
 */
export async function repairThreads(deps: SyncDeps, everyMs: number): Promise<void> {
  const threads = syncOf(deps.collections.sync, 'thread');
  const began = Date.now();
  while (!deps.signal.aborted) {
    await pause(everyMs, undefined, { signal: deps.signal }).catch(() => undefined);
    const isBusy = (await threads.countDocuments(LEFT, { limit: 1 })) > 0;
    if (isBusy) continue;
    await readOnceMore(deps, new Date(Math.max(began, Date.now() - DAY_MS)));
  }
}

const LEFT = { todo: { $exists: true } };

async function readOnceMore({ collections, servers }: SyncDeps, readBefore: Date): Promise<void> {
  const channels = [...servers.values()].flatMap((server) => [...server.channels.keys()]);
  await syncOf(collections.sync, 'thread').findOneAndUpdate(
    {
      kind: 'thread',
      channelId: { $in: channels },
      todo: { $exists: false },
      readAt: { $lt: readBefore },
    },
    {
      $set: { todo: 'all', token: randomUUID(), after: '0', fetched: 0 },
      $unset: { since: '', dueAt: '' },
    },
    { sort: { recent: -1 } },
  );
}
