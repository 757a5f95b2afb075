/** Wakes loops that rest, because something has changed that may be work for them. */
export interface Bell {
  /** How often the bell was rung. A loop that compares this number with an earlier one misses no ring. */
  readonly rings: number;
  ring(): void;
  /** Resolves at the next ring, after `ms` milliseconds, or when the signal aborts, whichever comes first. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Makes a bell. */
export function createBell(): Bell {
  let rings = 0;
  const waiting = new Set<() => void>();
  return {
    get rings() {
      return rings;
    },
    ring() {
      rings += 1;
      for (const wake of [...waiting]) wake();
    },
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        waiting.add(wake);
        signal.addEventListener('abort', wake);
        if (signal.aborted) wake();
      }),
  };
}
