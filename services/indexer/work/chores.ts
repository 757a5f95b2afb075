import type { Round } from './backgroundLoop.js';

/** Something that is done now and then, whether or not anything has changed. */
export interface Chore {
  everyMs: number;
  run: () => Promise<unknown>;
}

/** A round that does the chores that are due. Resolves with the milliseconds until the next one is. */
export function createChores(chores: readonly Chore[], now = () => performance.now()): Round {
  const due = new Map(chores.map((chore) => [chore, now()]));
  return async () => {
    for (const chore of chores) {
      if (due.get(chore)! > now()) continue;
      // Set before it runs: one that fails is done again when it is due again.
      due.set(chore, now() + chore.everyMs);
      await chore.run();
    }
    return Math.max(0, Math.min(...due.values()) - now());
  };
}
