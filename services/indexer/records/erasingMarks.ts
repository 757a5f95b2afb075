import type { Collection } from 'mongodb';
import type { ThreadRecord } from '../../../shared/store/records.js';
import { raiseRevisions } from './threadRevision.js';

type Threads = Collection<ThreadRecord>;

/**
 * Raises the revision of threads that erasures are about to change, and notes on each by which, in one update: whoever
 * goes on with one that was cut off knows what it has changed.
 */
export async function markErasing(
  threads: Threads,
  threadIds: string[],
  erasureIds: string[],
): Promise<void> {
  const erasing = { $setUnion: [{ $ifNull: ['$erasing', []] }, erasureIds] };
  await raiseRevisions(threads, threadIds, [{ $set: { erasing } }]);
}

/** The threads that an erasure has changed so far. */
export async function erasingThreads(threads: Threads, erasureId: string): Promise<string[]> {
  const found = await threads.find({ erasing: erasureId }, { projection: { _id: 1 } }).toArray();
  return found.map(({ _id }) => _id);
}

/** Takes the marks of erasures away that are done. */
export async function clearErasing(threads: Threads, erasureIds: string[]): Promise<void> {
  const left = { $setDifference: ['$erasing', erasureIds] };
  await threads.updateMany({ erasing: { $in: erasureIds } }, [
    { $set: { erasing: { $cond: [{ $eq: [left, []] }, '$$REMOVE', left] } } },
  ]);
}
