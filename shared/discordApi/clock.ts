import { setTimeout } from 'node:timers/promises';

/** Time as the platform's client sees it; tests have one of their own. */
export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** Resolves after so many milliseconds; rejects with the reason of the signal when that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The process's own time. */
export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await setTimeout(ms, undefined, { signal });
    } catch (error) {
      // The timer's own error does not tell a time limit from other reasons.
      signal?.throwIfAborted();
      throw error;
    }
  },
};
