import type { Filter } from 'mongodb';
import type { Collections } from './collections.js';
import type { SyncRequest, SyncStats } from '../contract/admin.js';
import { syncOf, type SyncThread } from './syncRecords.js';

interface Sums {
  threads: number;
  left: number;
  messages: number;
  fetched: number;
}

/** Counts the threads of a place, or of all, and their messages. */
export async function syncProgress(
  { sync }: Pick<Collections, 'sync'>,
  place: SyncRequest = {},
): Promise<Pick<SyncStats, 'threads' | 'messages'>> {
  // Threads that were fetched count as complete, whatever the platform counts.
  const told = { $max: ['$fetched', { $cond: ['$todo', { $add: ['$messageCount', 1] }, 0] }] };
  const sums = await syncOf(sync, 'thread')
    .aggregate<Sums>([
      { $match: { kind: 'thread', ...threadsIn(place) } },
      {
        $group: {
          _id: null,
          threads: { $sum: 1 },
          left: { $sum: { $cond: ['$todo', 1, 0] } },
          messages: { $sum: told },
          fetched: { $sum: '$fetched' },
        },
      },
    ])
    .next();
  const { threads = 0, left = 0, messages = 0, fetched = 0 } = sums ?? {};
  return {
    threads: { found: threads, fetched: threads - left },
    messages: { found: messages, fetched },
  };
}

/** A filter for the threads of a place, or for all threads. */
export function threadsIn({ serverId, channelId, threadId }: SyncRequest): Filter<SyncThread> {
  if (threadId !== undefined) return { _id: threadId };
  if (channelId !== undefined) return { channelId };
  return serverId === undefined ? {} : { serverId };
}
