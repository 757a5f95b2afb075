/** Wakes loops that rest: something has changed that may be work for them. */
export interface Bell {
  /** How often it was rung: a ring between two looks at this number is never missed. */
  readonly rings: number;
  ring(): void;
  /** Resolves at the next ring, after so many milliseconds, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** A bell that nobody has rung. */
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
