import { setTimeout as pause } from 'node:timers/promises';
import type { Collection, Filter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import { dayOf } from '../views/tallyPeople.js';
import { lateSimilar } from './lateSimilar.js';

type Marks = Pick<Collections, 'channels' | 'threads' | 'members' | 'dirty' | 'similarMarks'>;

/** Tells how much is left of one kind of work, once it is known which is meant. */
type Stage = () => Promise<() => Promise<number>>;

const POLL_MS = 100;

/**
 * Waits until what is marked by now has been built, counted and shown; each kind of mark leads to the next. Gives up
 * when nothing has come nearer to its end for `patienceMs`: nobody works on it.
 */
export async function awaitWork(marks: Marks, patienceMs: number): Promise<void> {
  for (const begin of stagesOf(marks)) {
    if (!(await awaitNone(await begin(), patienceMs))) return;
  }
}

function stagesOf(marks: Marks): Stage[] {
  const { threads, members, dirty, similarMarks } = marks;
  const counted = (kind: 'thread' | 'member' | 'user' | 'server') =>
    markedBy(dirty, 'at', { kind });
  const aged = { periodDay: { $lt: dayOf(new Date()) } };
  return [
    () => Promise.resolve(() => countThreadsOfGone(marks)),
    markedBy(threads, 'pendingAt', { pending: { $exists: true } }),
    counted('thread'),
    // After midnight UTC all whose last 30 days are others now; they are marked little by little.
    () => Promise.resolve(() => members.countDocuments(aged)),
    counted('member'),
    counted('user'),
    counted('server'),
    markedBy(similarMarks, 'at', { kind: 'shown' }),
    // After much was changed there are many of them, and most become late.
    markedBy(similarMarks, 'at', lateSimilar()),
  ];
}

/** What is marked at the beginning of its stage, by the marks' own times: clocks of other processes may differ. */
function markedBy<T extends object>(
  collection: Collection<T>,
  time: string & keyof T,
  marked: Filter<T>,
): Stage {
  return async () => {
    const last = await collection.findOne<T>(marked, { sort: { [time]: -1 } });
    if (!last) return () => Promise.resolve(0);
    const known = { ...marked, [time]: { $lte: last[time] } };
    return () => collection.countDocuments(known);
  };
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
