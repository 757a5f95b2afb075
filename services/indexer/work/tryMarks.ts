import { findGathered } from '../../../shared/store/gather.js';
import { isQuarantined, MOST_TRIES, type Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { isTransient } from '../permanentErrors.js';
import { rest } from '../rest.js';
import {
  changeHeld,
  claimMarks,
  isDue,
  isOwn,
  keepClaims,
  released,
  takeBackTries,
} from './claims.js';
import { quarantineMark, type Quarantining } from './quarantineMark.js';

/** How long (ms) between two looks at whether another worker has done a mark. */
export const POLL_MS = 100;

/** How marks of one kind are done. */
export interface Work {
  /** Does the work of claimed marks. Ends the marks in the transactions that store the results. */
  run: (deps: IndexerDeps, marks: Mark[]) => Promise<void>;
  /** Prepares to quarantine a mark whose work fails every time. */
  quarantine?: (deps: IndexerDeps, mark: Mark) => Promise<Quarantining>;
}

/**
 * Does the work of claimed marks. Throws when it is to be tried again. A mark whose work has failed too often is
 * quarantined.
 */
export async function tryMarks(deps: IndexerDeps, work: Work, marks: Mark[]): Promise<void> {
  try {
    await keepClaims(deps, marks, () => runOrQuarantine(deps, work, marks));
  } catch (error) {
    if (isTransient(error)) await takeBackTries(deps, marks);
    // A mark that cannot even be quarantined rests until its claim ends.
    else if (!isLastTry(marks)) await changeHeld(deps, marks, released);
    throw error;
  }
}

function isLastTry([mark, ...others]: Mark[]): boolean {
  return others.length === 0 && mark!.tries! >= MOST_TRIES;
}

/**
 * Does the work of claimed marks. A single mark is quarantined when its last try fails. Where even the last try was cut
 * off, as by the end of its process, the mark is quarantined without another try.
 */
async function runOrQuarantine(deps: IndexerDeps, work: Work, marks: Mark[]): Promise<void> {
  const mark = marks[0]!;
  const isLast = isLastTry(marks);
  const quarantine = async (error: string): Promise<void> =>
    quarantineMark(deps, mark, error, (await work.quarantine?.(deps, mark)) ?? {});
  if (isLast && mark.tries! > MOST_TRIES) {
    return quarantine(`Its ${MOST_TRIES} runs ended the process, or were cut off`);
  }
  try {
    await work.run(deps, marks);
  } catch (error) {
    if (isTransient(error) || !isLast) throw error;
    await quarantine(String(error));
  }
}

/**
 * How long (ms) to wait before a mark is looked at again. A claim may end at any time. But a mark that is not due is
 * taken by nobody before its time.
 */
function msUntilFree({ claim, due }: Mark): number {
  return claim === undefined ? Math.max(due.getTime() - Date.now(), POLL_MS) : POLL_MS;
}

/** How `finishMark` finishes a mark. */
export interface Finishing {
  /** For whom the mark may have been claimed when it was set. */
  owner?: string | undefined;
  /** Whether a mark that nobody has claimed, and that is not due, is left to the background loops. */
  leavesResting?: boolean;
}

/**
 * Does the work of one mark until the mark is gone or quarantined. While another worker holds the claim, or the mark is
 * not due, the caller waits. When the mark is set again during the work, the work is done again. Resolves with true when
 * the mark is gone, and with false when it is quarantined, or left to the background loops. Throws when the work failed
 * and is to be tried again, and when the signal is aborted while the caller waits.
 */
export async function finishMark(
  deps: IndexerDeps,
  work: Work,
  markId: string,
  { owner, leavesResting = false }: Finishing = {},
): Promise<boolean> {
  for (;;) {
    const mark = await findGathered(deps.collections.work, markId);
    if (!mark) return true;
    if (isQuarantined(mark)) return false;
    const claimed = isOwn(mark, owner) ? [mark] : await claimMarks(deps, [mark]);
    if (claimed.length > 0) await tryMarks(deps, work, claimed);
    else if (leavesResting && mark.claim === undefined && !isDue(mark.due)) return false;
    else {
      await rest(msUntilFree(mark), deps.signal);
      deps.signal.throwIfAborted();
    }
  }
}
