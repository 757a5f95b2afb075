import type { Collection } from 'mongodb';
import { writeAllGathered } from '../../../shared/store/gather.js';
import type { ThreadRecord } from '../../../shared/store/records.js';

/** What fails, or ends its process, so often is set aside. */
export const MOST_TRIES = 5;

type Threads = Collection<ThreadRecord>;

/** Counts a build of each thread that is about to begin: where the process ends in it, the count stays. */
export async function countTries(threads: Threads, threadIds: string[]): Promise<void> {
  if (threadIds.length === 0) return;
  await threads.updateMany({ _id: { $in: threadIds } }, { $inc: { tries: 1 } });
}

/** Forgets the tries of a thread that was built. */
export async function forgetTries(threads: Threads, threadId: string): Promise<void> {
  const update = { $unset: { tries: '' as const } };
  await writeAllGathered(threads, [{ updateOne: { filter: { _id: threadId }, update } }]);
}

/** Takes one try back: it ended, and for a reason that is not the thread's. */
export async function takeBackTry(threads: Threads, threadId: string): Promise<void> {
  const less = { $cond: [{ $gt: ['$tries', 1] }, { $subtract: ['$tries', 1] }, '$$REMOVE'] };
  await threads.updateOne({ _id: threadId }, [{ $set: { tries: less } }]);
}

/** What isQuarantined holds of. */
export const QUARANTINED = { tries: { $gte: MOST_TRIES }, pending: { $exists: false } };

/** Whether a thread's present revision was set aside: there is no mark, though it was not built. */
export function isQuarantined({
  tries = 0,
  pending,
}: Pick<ThreadRecord, 'tries' | 'pending'>): boolean {
  return tries >= MOST_TRIES && pending === undefined;
}
