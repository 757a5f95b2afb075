import type { Round } from './backgroundLoop.js';

/** Something that is done now and then, whether or not anything has changed. */
export interface Chore {
  everyMs: number;
  run: () => Promise<unknown>;
}

/**
 * Makes a round that does the chores that are due. The round resolves with how long (ms) until the next chore is due.
 */
export function createChores(chores: readonly Chore[], now = () => performance.now()): Round {
  const due = new Map(chores.map((chore) => [chore, now()]));
  return async () => {
    for (const chore of chores) {
      if (due.get(chore)! > now()) continue;
      // The time is set before the chore runs. So a chore that fails is done again at its next time.
      due.set(chore, now() + chore.everyMs);
      await chore.run();
    }
    return Math.max(0, Math.min(...due.values()) - now());
  };
}
