import type { Filter } from 'mongodb';
import type { Mark } from '../../../shared/store/work.js';
import type { Round } from './backgroundLoop.js';

/** After this time (ms), a round ends, although marks are left. */
const LONGEST_MS = 20_000;

/** The shortest rest (ms) after a round that did everything. What is set meanwhile is then done together. */
const REST_MS = 5_000;
/** The rest after such a round is at least this multiple of the time that the round took. */
const REST_FACTOR = 3;

/**
 * How long (ms) to rest after a round of `roundOfAll`. A server is counted from all of its threads, so a count takes
 * longer as the server grows. Because of this rest, counting takes a quarter of the time at most, even where a server
 * of a million threads changes all the time.
 */
export function restAfterAll(tookMs: number, found: true | 'all'): number {
  return found === 'all' ? Math.max(REST_MS, REST_FACTOR * tookMs) : 0;
}

/**
 * Makes a round. The round first does one batch of the marks that are due. Where none is, it ends. Otherwise it does,
 * batch by batch, all other marks that were set before it began. These have set further marks, so it does one more
 * batch of whatever marks are due. It ends after that, even when others go on setting marks. `run` does one batch of
 * the marks that match a filter, and resolves as `runDue` does. Once `mayGoOn` returns false, the round ends after the
 * batch under way. After LONGEST_MS it ends, too, and resolves with true. The next round then does what was set
 * meanwhile. Otherwise, a server would not be counted while hundreds of thousands of people are.
 */
export function roundOfAll(
  run: (among: Filter<Mark>) => Promise<boolean | number>,
  mayGoOn: () => boolean,
): Round {
  return async () => {
    const began = performance.now();
    const marked = { at: { $lte: new Date() } };
    const found = await run({});
    if (found !== true) return found;
    const mayContinue = (): boolean => mayGoOn() && performance.now() - began < LONGEST_MS;
    let more: boolean | number = true;
    while (more === true && mayContinue()) more = await run(marked);
    if (!mayContinue()) return true;
    await run({});
    return 'all';
  };
}
