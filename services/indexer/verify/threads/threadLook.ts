import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import type { ErasedTraces } from '../erasedTraces.js';
import type { IdWindow } from '../../records/idWindow.js';
import type { ExpectedThread } from './expectThreads.js';
import type { VerifiedThread } from './verifiedThread.js';
import type { ThreadProblems } from './threadProblems.js';

/** One look at the threads of a window: how they must be, and what it has found wrong with them so far. */
export interface ThreadLook extends AreaContext {
  window: IdWindow;
  threads: ReadonlyMap<string, ExpectedThread>;
  problems: ThreadProblems;
  traces: ErasedTraces;
}

/**
 * One check of a window's threads. It notes what is wrong with a thread in `problems`, and returns all other
 * differences.
 */
export type ThreadCheck = (look: ThreadLook) => Promise<Difference[]>;

/** Returns the threads whose views must be as the records say. */
export function resting({ threads }: Pick<ThreadLook, 'threads'>): ExpectedThread[] {
  return [...threads.values()].filter(isResting);
}

/** Whether a thread's views must be as the records say, because the thread is shown or hidden. */
export function isResting({ state }: ExpectedThread): boolean {
  return state === 'shown' || state === 'hidden';
}

/** Returns a difference of one thread. Its basis is the version of the thread's present views. */
export function differenceOf(
  { _id: id, revision }: VerifiedThread,
  kind: Difference['kind'],
  detail: string,
  clue?: Difference['clue'],
): Difference {
  return { kind, id, detail, basis: String(revision), ...(clue && { clue }) };
}
