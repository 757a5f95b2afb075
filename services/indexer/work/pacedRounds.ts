import type { LoopKind } from '../../../shared/store/work.js';
import type { Round } from './backgroundLoop.js';

interface PacedKinds {
  /** Done in every round. */
  always: readonly LoopKind[];
  /** Done in a round at most once in so many milliseconds, for all that came meanwhile together. */
  paced: readonly LoopKind[];
  everyMs: number;
  now?: () => number;
}

/**
 * Rounds of which some kinds of work are no part while they were done a short time ago. Counting reads all threads of a
 * person or server, so it costs the same for one change as for many: with changes every moment it would never end.
 * After a time without changes the first is counted at once.
 */
export function pacedRounds(
  run: (kinds: readonly LoopKind[]) => Promise<boolean | number>,
  { always, paced, everyMs, now = () => performance.now() }: PacedKinds,
): Round {
  let doneAt = -Infinity;
  return async () => {
    const first = await run(always);
    const leftMs = doneAt + everyMs - now();
    if (leftMs > 0) return first === true || sooner(first, leftMs);
    const second = await run(paced);
    if (second === true) doneAt = now();
    return first === true || second === true || sooner(first, second);
  };
}

/** The sooner of two times until something is due (ms); false where neither is known. */
function sooner(one: number | false, other: number | boolean): number | false {
  if (typeof other !== 'number') return one;
  return one === false ? other : Math.min(one, other);
}
