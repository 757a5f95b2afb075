import { setTimeout } from 'node:timers/promises';

/** Time as the platform's client sees it; tests have one of their own. */
export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The process's own time. */
export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
};
