import type { Logger } from '../../../shared/platform/logger.js';
import { seldom } from '../../../shared/platform/seldom.js';
import { rest } from '../rest.js';
import type { Bell } from './bell.js';

/** A piece of work that is done again and again until it is stopped. */
export interface BackgroundLoop {
  /** Ends after the round under way. */
  stop(): Promise<void>;
}

/**
 * Does a part of the work, and resolves with one of:
 * - true: it did something, and more may be left;
 * - `all`: it did everything that was there when it began;
 * - a number: nothing is to be done now, and something will be in so many milliseconds;
 * - anything else: nothing is to be done.
 */
export type Round = () => Promise<unknown>;

interface LoopOptions {
  /** The shortest rest after a round that found nothing, or failed. */
  idleMs: number;
  /** Rung by rounds that did something. After `idleMs` a loop goes on resting until it is rung. */
  bell: Bell;
  /** The longest rest (ms): what another process has left is found by looking, not by a ring. */
  longestRestMs: number;
  /** The rest (ms) after a round that resolved with `all`; none when absent. */
  restMs?: number;
  /** After a round that did something it rests so many times as long as that took; not at all when absent. */
  restFactor?: number;
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
 * Runs `round` repeatedly: at once again while it did something, else when the bell rings or something is due, and not
 * at all while it is not `isReady`. A failed round is tried again after `idleMs`, and logged now and then. While
 * `isBusy` it takes a small part of the process's time only: what it does for many changes at once costs little more
 * than for one.
 */
export function runInBackground(
  name: string,
  round: Round,
  { idleMs, bell, longestRestMs, restMs = 0, restFactor = 0, logger, isBusy, isReady }: LoopOptions,
): BackgroundLoop {
  const stopped = new AbortController();
  const tell = seldom(TOLD_EVERY_MS, (error: unknown) => {
    logger.error({ err: error, loop: name }, 'A background round failed');
  });
  const fail = (error: unknown): number => {
    tell(error);
    return idleMs;
  };
  const idle = async (rings: number, due: unknown): Promise<void> => {
    await rest(idleMs, stopped.signal);
    const longest = typeof due === 'number' ? Math.min(due, longestRestMs) : longestRestMs;
    const left = longest - idleMs;
    if (bell.rings === rings && left > 0) await bell.wait(left, stopped.signal);
  };
  const ended = (async () => {
    while (!stopped.signal.aborted) {
      const { rings } = bell;
      const started = Date.now();
      const found = isReady() ? await round().catch(fail) : idleMs;
      const tookMs = Date.now() - started;
      const busyMs = Math.min(tookMs * REST_WHILE_BUSY, LONGEST_REST_MS);
      if (found === true || found === 'all') {
        bell.ring();
        const ms = found === 'all' ? restMs : Math.min(tookMs * restFactor, LONGEST_REST_MS);
        await rest(ms, stopped.signal);
      } else await idle(rings, found);
      await restWhile(isBusy, { ms: busyMs, lookEveryMs: idleMs, signal: stopped.signal });
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
    await rest(Math.min(lookEveryMs, end - Date.now()), signal);
  }
}
