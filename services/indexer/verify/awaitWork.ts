import { setTimeout as pause } from 'node:timers/promises';
import type { Collections } from '../../../shared/store/collections.js';

type Marks = Pick<Collections, 'channels' | 'threads' | 'dirty' | 'similarMarks'>;

const POLL_MS = 100;

/**
 * Waits until what was marked by now has been built, counted and shown; each kind of mark leads to the next. Gives up
 * when nothing has come nearer to its end for `patienceMs`: nobody works on it.
 */
export async function awaitWork(marks: Marks, patienceMs: number): Promise<void> {
  for (const countLeft of stagesOf(marks)) {
    const by = new Date();
    if (!(await awaitNone(() => countLeft(by), patienceMs))) return;
  }
}

function stagesOf(marks: Marks): ((by: Date) => Promise<number>)[] {
  const { threads, dirty, similarMarks } = marks;
  const counted = (kind: 'thread' | 'member' | 'user' | 'server') => (by: Date) =>
    dirty.countDocuments({ kind, at: { $lte: by } });
  return [
    () => countThreadsOfGone(marks),
    (by) => threads.countDocuments({ pending: { $exists: true }, pendingAt: { $lte: by } }),
    counted('thread'),
    counted('member'),
    counted('user'),
    counted('server'),
    (by) => similarMarks.countDocuments({ kind: 'shown', at: { $lte: by } }),
  ];
}

/** A channel is deleted before its threads are. */
async function countThreadsOfGone({ channels, threads }: Marks): Promise<number> {
  const gone: string[] = await channels.distinct('_id', { deleted: true });
  if (gone.length === 0) return 0;
  return threads.countDocuments({ channelId: { $in: gone }, deleted: { $ne: true } });
}

async function awaitNone(countLeft: () => Promise<number>, patienceMs: number): Promise<boolean> {
  let least = Infinity;
  let since = Date.now();
  for (;;) {
    const left = await countLeft();
    if (left === 0) return true;
    if (left < least) {
      least = left;
      since = Date.now();
    }
    if (Date.now() - since > patienceMs) return false;
    await pause(POLL_MS);
  }
}
