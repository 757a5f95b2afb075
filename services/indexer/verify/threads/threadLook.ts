import type { ThreadItemView } from '../../../../shared/store/views.js';
import type { IndexerDeps } from '../../deps.js';
import { isSetAside } from '../../quarantine/tries.js';
import type { Difference } from '../difference.js';
import type { IdWindow } from '../idWindow.js';
import type { ExpectedThread, ExpectedThreads } from './expectThreads.js';

/** One look at the threads of a window: what they must be, and what several checks need of what is stored. */
export interface ThreadLook extends ExpectedThreads {
  deps: IndexerDeps;
  window: IdWindow;
  items: ReadonlyMap<string, ThreadItemView>;
  /** Search indexes that must be complete. */
  indexes: readonly string[];
  /** Whether a thread is one of those that are rendered again. */
  isSampled: (threadId: string) => boolean;
  /** Counts what was compared. */
  tally: (name: string, amount: number) => void;
}

/** Compares one thing of a window's threads with what it must be. */
export type ThreadCheck = (look: ThreadLook) => Promise<Difference[]>;

/**
 * Whether a thread neither waits to be built, nor was set aside, nor has lost its channel or server: its views must be
 * as its records say.
 */
export function isResting({ thread, isOrphan }: ExpectedThread): boolean {
  return thread.pending === undefined && !isSetAside(thread) && !isOrphan;
}

/** The threads that rest. */
export function resting({ threads }: Pick<ThreadLook, 'threads'>): ExpectedThread[] {
  return [...threads.values()].filter(isResting);
}

/** A difference of one thread, as it stands at its revision. */
export function differenceOf(
  { thread: { _id: id, revision } }: Pick<ExpectedThread, 'thread'>,
  kind: Difference['kind'],
  detail: string,
  clue?: Difference['clue'],
): Difference {
  return { kind, id, detail, basis: String(revision), ...(clue && { clue }) };
}

/** A view of a thread that is not recorded. */
export function orphanView(id: string, what: string): Difference {
  return { kind: 'orphan.view', id, detail: `There is a ${what} of it`, basis: '' };
}
