import { setImmediate, setTimeout as pause } from 'node:timers/promises';

/** How long the next round waits for each thread of the last one (ms), and how long at most. */
const MS_A_THREAD = 50;
const LONGEST_MS = 300;

/**
 * Begins work for threads in rounds, so that those of one round ask the stores together. The more threads a round had,
 * the later the next one begins: a single event does not wait, and a burst takes a few large rounds. `begin` gives how
 * many threads it has begun. Each call asks for a round, and resolves when that has begun.
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
