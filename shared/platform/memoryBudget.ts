/** Limits the total weight of the work that runs at a time. Other work waits, and begins in order. */
export interface MemoryBudget {
  /** Runs `work` once there is room for its weight. A weight above the total counts as the total. */
  within<T>(weight: number, work: () => Promise<T>): Promise<T>;
}

/** A budget of a total weight, such as a number of bytes or of messages. */
export function memoryBudget(total: number): MemoryBudget {
  let used = 0;
  const waiting: { weight: number; start: () => void }[] = [];
  const admit = (): void => {
    for (let [next] = waiting; next && used + next.weight <= total; [next] = waiting) {
      waiting.shift();
      used += next.weight;
      next.start();
    }
  };
  return {
    async within(asked, work) {
      const weight = Math.min(asked, total);
      await new Promise<void>((start) => {
        waiting.push({ weight, start });
        admit();
      });
      try {
        return await work();
      } finally {
        used -= weight;
        admit();
      }
    },
  };
}
