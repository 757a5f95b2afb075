import type { Collection } from 'mongodb';
import { writeAllGathered } from '../../../shared/store/gather.js';
import type { ThreadRecord } from '../../../shared/store/records.js';

/** A mark so old that the sweep does not wait for a job to come for it. */
const FOR_THE_SWEEP = new Date(0);

/**
 * Gives a thread its next revision, max(revision + 1, clock in microseconds), and marks it pending, in one atomic
 * update. Called before a change of the thread's messages (so that a crash leaves a mark) and again after it (so that
 * nothing built in between counts as finished). `above`: a revision that must be exceeded too.
 */
export async function raiseRevision(
  threads: Collection<ThreadRecord>,
  threadId: string,
  above = 0,
): Promise<void> {
  const update = nextRevision(Math.max(nowMicroseconds(), above + 1));
  await writeAllGathered(threads, [{ updateOne: { filter: { _id: threadId }, update } }]);
}

/**
 * The same for every thread of a channel: its name or tags changed, and every view of its threads shows them. No job
 * comes for these: the sweep takes them at once.
 */
export async function raiseRevisionsOfChannel(
  threads: Collection<ThreadRecord>,
  channelId: string,
): Promise<void> {
  await threads.updateMany(
    { channelId, deleted: { $ne: true } },
    nextRevision(nowMicroseconds(), FOR_THE_SWEEP),
  );
}

/**
 * The same for some threads, such as those whose messages link to something that has just appeared or was renamed; for
 * the sweep too. `stages`: what else of them is updated.
 */
export async function raiseRevisions(
  threads: Collection<ThreadRecord>,
  threadIds: string[],
  stages: Record<string, unknown>[] = [],
): Promise<void> {
  if (threadIds.length > 0) {
    await threads.updateMany({ _id: { $in: threadIds } }, [
      ...stages,
      ...nextRevision(nowMicroseconds(), FOR_THE_SWEEP),
    ]);
  }
}

/**
 * Takes the mark away if the thread has not changed since it was read, and notes the title that it and everything that
 * links to it now show.
 */
export async function clearPending(
  threads: Collection<ThreadRecord>,
  { _id, revision }: Pick<ThreadRecord, '_id' | 'revision'>,
  shownTitle: string,
): Promise<void> {
  const filter = { _id, pending: revision };
  const update = { $unset: { pending: '' as const, pendingAt: '' as const }, $set: { shownTitle } };
  await writeAllGathered(threads, [{ updateOne: { filter, update } }]);
}

/** Microseconds since the epoch: a revision's floor, so that it never goes backwards after a rebuild from nothing. */
export function nowMicroseconds(): number {
  return Date.now() * 1000;
}

/** The stages of an update that raise a revision to at least `floor` and mark the thread pending. */
export function nextRevision(
  floor: number,
  pendingAt: Date | '$$NOW' = '$$NOW',
): [Record<string, unknown>, Record<string, unknown>] {
  return [
    { $set: { revision: { $max: [{ $add: [{ $ifNull: ['$revision', 0] }, 1] }, floor] } } },
    { $set: { pending: '$revision', pendingAt } },
  ];
}
