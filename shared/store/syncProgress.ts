import type { Filter } from 'mongodb';
import type { Collections } from './collections.js';
import type { SyncRequest, SyncStats } from '../contract/admin.js';
import { syncOf, type SyncThread } from './syncRecords.js';

/** Sums over threads of one channel. `left` are still to be fetched, and `failed` have a problem. */
export interface ThreadSums {
  channelId: string;
  threads: number;
  left: number;
  failed: number;
  messages: number;
  fetched: number;
}

/**
 * Counts the threads of a place, or of all, and their messages, channel by channel. For a server or for all, MongoDB
 * reads an index alone, because an archive may have millions of threads.
 */
export async function countThreads(
  { sync }: Pick<Collections, 'sync'>,
  place: SyncRequest = {},
): Promise<ThreadSums[]> {
  // Threads that were fetched count as complete, whatever the platform counts.
  const told = { $max: ['$fetched', { $cond: ['$todo', { $add: ['$messageCount', 1] }, 0] }] };
  const one = (field: string) => ({ $sum: { $cond: [field, 1, 0] } });
  return syncOf(sync, 'thread')
    .aggregate<ThreadSums>([
      { $match: { kind: 'thread', ...threadsIn(place) } },
      {
        $group: {
          _id: '$channelId',
          threads: { $sum: 1 },
          left: one('$todo'),
          failed: one('$problem'),
          messages: { $sum: told },
          fetched: { $sum: '$fetched' },
        },
      },
      { $set: { channelId: '$_id' } },
      { $unset: '_id' },
    ])
    .toArray();
}

/** How far some threads are fetched. */
export function progressOf(sums: readonly ThreadSums[]): Pick<SyncStats, 'threads' | 'messages'> {
  const sum = (field: Exclude<keyof ThreadSums, 'channelId'>): number =>
    sums.reduce((total, one) => total + one[field], 0);
  const threads = sum('threads');
  return {
    threads: { found: threads, fetched: threads - sum('left') },
    messages: { found: sum('messages'), fetched: sum('fetched') },
  };
}

/** A filter for the threads of a place, or for all threads. */
export function threadsIn({ serverId, channelId, threadId }: SyncRequest): Filter<SyncThread> {
  if (threadId !== undefined) return { _id: threadId };
  if (channelId !== undefined) return { channelId };
  return serverId === undefined ? {} : { serverId };
}
