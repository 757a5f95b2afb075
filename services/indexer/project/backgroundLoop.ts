import type { Logger } from '../../../shared/platform/logger.js';

/** A piece of work that is done again and again until it is stopped. */
export interface BackgroundLoop {
  /** Ends after the round under way. */
  stop(): Promise<void>;
}

/** How many times as long as a round took the loop rests after it, while jobs are waiting for the same process. */
const REST_WHILE_BUSY = 16;

/**
 * Runs `round` repeatedly: at once again while it returns true (there is more), else after `idleMs`. A failed round is
 * logged and tried again after `idleMs`. While `isBusy` it takes a small part of the process's time only: what it does
 * for many changes at once costs little more than for one.
 */
export function runInBackground(
  name: string,
  round: () => Promise<boolean>,
  { idleMs, logger, isBusy }: { idleMs: number; logger: Logger; isBusy: () => boolean },
): BackgroundLoop {
  const stopped = new AbortController();
  const ended = (async () => {
    while (!stopped.signal.aborted) {
      const started = Date.now();
      const more = await round().catch((error: unknown) => {
        logger.error({ error, loop: name }, 'A background round failed');
        return false;
      });
      const rest = isBusy() ? (Date.now() - started) * REST_WHILE_BUSY : 0;
      await pause(more ? rest : Math.max(rest, idleMs), stopped.signal);
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
