import type { Logger } from '../../../shared/platform/logger.js';
import { seldom } from '../../../shared/platform/seldom.js';

/** A piece of work that is done again and again until it is stopped. */
export interface BackgroundLoop {
  /** Ends after the round under way. */
  stop(): Promise<void>;
}

interface LoopOptions {
  idleMs: number;
  logger: Logger;
  isBusy: () => boolean;
  /** Whether the stores answer. */
  isReady: () => boolean;
}

/** Milliseconds between two lines about a round that fails again and again. */
const TOLD_EVERY_MS = 30_000;

/** How many times as long as a round took the loop rests after it, while jobs are waiting for the same process. */
const REST_WHILE_BUSY = 16;
const LONGEST_REST_MS = 10_000;

/**
 * Runs `round` repeatedly: at once again while it resolves with true (there is more), else after `idleMs`, and not at all
 * while it is not `isReady`. A failed round is tried again after `idleMs`, and logged now and then. While `isBusy` it
 * takes a small part of the process's time only: what it does for many changes at once costs little more than for one.
 */
export function runInBackground(
  name: string,
  round: () => Promise<unknown>,
  { idleMs, logger, isBusy, isReady }: LoopOptions,
): BackgroundLoop {
  const stopped = new AbortController();
  const tell = seldom(TOLD_EVERY_MS, (error: unknown) => {
    logger.error({ err: error, loop: name }, 'A background round failed');
  });
  const fail = (error: unknown): false => {
    tell(error);
    return false;
  };
  const ended = (async () => {
    while (!stopped.signal.aborted) {
      const started = Date.now();
      const more = isReady() && (await round().catch(fail)) === true;
      const rest = Math.min((Date.now() - started) * REST_WHILE_BUSY, LONGEST_REST_MS);
      if (!more) await pause(idleMs, stopped.signal);
      await restWhile(isBusy, { ms: rest, lookEveryMs: idleMs, signal: stopped.signal });
    }
  })();
  return {
    async stop() {
      stopped.abort();
      await ended;
    },
  };
}

/** Rests so long at most: who waits for the last job waits for what follows from it, too. */
async function restWhile(
  isBusy: () => boolean,
  { ms, lookEveryMs, signal }: { ms: number; lookEveryMs: number; signal: AbortSignal },
): Promise<void> {
  const end = Date.now() + ms;
  while (isBusy() && Date.now() < end && !signal.aborted) {
    await pause(Math.min(lookEveryMs, end - Date.now()), signal);
  }
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
