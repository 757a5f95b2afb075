import type { Logger } from '../../../shared/platform/logger.js';

/** A piece of work that is done again and again until it is stopped. */
export interface BackgroundLoop {
  /** Ends after the round under way. */
  stop(): Promise<void>;
}

/**
 * Runs `round` repeatedly: at once again while it returns true (there is more), else after `idleMs`. A failed round is
 * logged and tried again after `idleMs`. After a round that took long it rests as long, so that it takes at most half
 * of the process's time.
 */
export function runInBackground(
  name: string,
  round: () => Promise<boolean>,
  { idleMs, logger }: { idleMs: number; logger: Logger },
): BackgroundLoop {
  const stopped = new AbortController();
  const ended = (async () => {
    while (!stopped.signal.aborted) {
      const started = Date.now();
      const more = await round().catch((error: unknown) => {
        logger.error({ error, loop: name }, 'A background round failed');
        return false;
      });
      await pause(more ? Date.now() - started : idleMs, stopped.signal);
    }
  })();
  return {
    async stop() {
      stopped.abort();
      await ended;
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish);
    if (signal.aborted) finish();
  });
}
