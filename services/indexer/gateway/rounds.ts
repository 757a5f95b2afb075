import { setImmediate, setTimeout as pause } from 'node:timers/promises';

/** The rest after a round: so long for each of its threads (ms), but no longer than LONGEST_MS. */
const MS_A_THREAD = 50;
const LONGEST_MS = 300;

/**
 * Begins work for threads in rounds, so that the threads of one round ask the stores together. The more threads a round
 * had, the later the next round begins. So a single event does not wait, and a burst takes a few large rounds. `begin`
 * begins the work, and returns for how many threads. Each call of the returned function asks for a round, and resolves
 * when that round has begun.
 */
export function createRounds(begin: () => number): () => Promise<void> {
  let earliest = -Infinity;
  let next: Promise<void> | null = null;
  const wait = async (): Promise<void> => {
    const leftMs = earliest - performance.now();
    await (leftMs > 0 ? pause(leftMs) : setImmediate());
    next = null;
    const restMs = Math.min(begin() * MS_A_THREAD, LONGEST_MS);
    earliest = performance.now() + restMs;
  };
  return () => (next ??= wait());
}
