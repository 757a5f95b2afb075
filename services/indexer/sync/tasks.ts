import { setTimeout as pause } from 'node:timers/promises';
import { PlatformAway } from '../../../shared/discordApi/platformErrors.js';
import { isTransient } from '../permanentErrors.js';
import type { SyncDeps } from './syncDeps.js';

const AGAIN_AFTER_MS = 1_000;

/** Tasks that run at the same time. */
export interface Tasks {
  /** Starts a task. If it fails, the whole sync ends. */
  start(run: () => Promise<void>): void;
  /** Resolves when no task is running. */
  end(): Promise<void>;
}

/** Makes an empty set of tasks. An error after the signal was aborted does not count as a failure. */
export function createTasks({ signal, fail }: Pick<SyncDeps, 'signal' | 'fail'>): Tasks {
  const underWay = new Set<Promise<void>>();
  return {
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

/**
 * Does something again while a store or the platform is away. Throws any other error, and throws once the signal is
 * aborted.
 */
export async function untilDone<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await run();
    } catch (error) {
      if (!isTransient(error) && !(error instanceof PlatformAway)) throw error;
      await pause(AGAIN_AFTER_MS, undefined, { signal });
    }
  }
}
