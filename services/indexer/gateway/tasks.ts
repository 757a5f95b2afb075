import { setTimeout as pause } from 'node:timers/promises';
import { PlatformAway } from '../../../shared/discordApi/platformErrors.js';
import { isPassing } from '../permanentErrors.js';

const AGAIN_AFTER_MS = 1_000;

/** What goes on side by side until a signal is aborted. */
export interface Tasks {
  start(run: () => Promise<void>): void;
  /** Rejects with the first error. */
  failed: Promise<never>;
  /** Resolves when nothing is under way. */
  end(): Promise<void>;
}

/** Tasks of which none has begun. Errors after the signal are those of the end, and are no failure. */
export function createTasks(signal: AbortSignal): Tasks {
  const underWay = new Set<Promise<void>>();
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  // Whoever waits for it hears of it; nobody has to.
  failed.catch(() => undefined);
  return {
    failed,
    start(run) {
      const ended = run()
        .catch((error: unknown) => {
          if (!signal.aborted) fail(error);
        })
        .finally(() => underWay.delete(ended));
      underWay.add(ended);
    },
    async end() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** Does something again while a store or the platform is away, until the signal is aborted. */
export async function untilDone<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await run();
    } catch (error) {
      if (!isPassing(error) && !(error instanceof PlatformAway)) throw error;
      await pause(AGAIN_AFTER_MS, undefined, { signal });
    }
  }
}
