import type { Logger } from '../../../shared/platform/logger.js';
import { seldom } from '../../../shared/platform/seldom.js';
import { rest } from '../rest.js';
import type { Bell } from './bell.js';

/** A piece of work that is done again and again until it is stopped. */
export interface BackgroundLoop {
  /** Resolves when the round under way has ended. No other round begins. */
  stop(): Promise<void>;
}

/**
 * Does a part of the work, and resolves with one of:
 * - true: it did something, and more may be left;
 * - `all`: it did everything that was there when it began;
 * - a number: nothing is to be done now, and this is how long (ms) until something is;
 * - anything else: nothing is to be done.
 */
export type Round = () => Promise<unknown>;

/** How a loop rests, and what it depends on. */
export interface LoopOptions {
  /** The shortest rest (ms) after a round that found nothing, or failed. */
  idleMs: number;
  /** Rung after each transaction of this process. After `idleMs` a loop goes on resting until it is rung. */
  bell: Pick<Bell, 'rings' | 'wait'>;
  /** The longest rest (ms). Work that another process has left rings no bell here, so the loop has to look for it. */
  longestRestMs: number;
  /** The rest (ms) after a round that did something, and took `tookMs`; none when absent. */
  restAfter?: (tookMs: number, found: true | 'all') => number;
  logger: Logger;
  isBusy: () => boolean;
  /** Whether the stores answer. No round begins while they do not. */
  isReady: () => boolean;
}

/** How long (ms) between two log lines about a round that fails again and again. */
const TOLD_EVERY_MS = 30_000;

/** While jobs run in the same process, the rest after a round is this multiple of the time that the round took. */
const REST_WHILE_BUSY = 16;
/** The longest of these rests (ms). */
const LONGEST_REST_MS = 10_000;

/**
 * Runs `round` repeatedly. After a round that did something, the next one begins at once, or after the rest that the
 * options give. Otherwise it begins when the bell rings or something is due. No round begins while the stores are not
 * ready. A failed round is logged now and then, and tried again after `idleMs` or later. While `isBusy`, the loop takes
 * only a small part of the process's time. The changes of this time are then done together, which costs little more
 * than doing one of them.
 */
export function runInBackground(
  name: string,
  round: Round,
  { idleMs, bell, longestRestMs, restAfter = () => 0, logger, isBusy, isReady }: LoopOptions,
): BackgroundLoop {
  const stopped = new AbortController();
  const tell = seldom(TOLD_EVERY_MS, (error: unknown) => {
    logger.error({ err: error, loop: name }, 'A round of a background loop failed');
  });
  const fail = (error: unknown): number => {
    // A round that the stop has cut off is not worth a line.
    if (!stopped.signal.aborted) tell(error);
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
      const started = performance.now();
      const found = isReady() ? await round().catch(fail) : idleMs;
      const tookMs = performance.now() - started;
      const busyMs = Math.min(tookMs * REST_WHILE_BUSY, LONGEST_REST_MS);
      if (found === true || found === 'all') {
        await rest(restAfter(tookMs, found), stopped.signal);
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

/**
 * Rests until no job is running, but for `ms` at most. Whoever waits for the last job also waits for the work that
 * follows from it.
 */
async function restWhile(
  isBusy: () => boolean,
  { ms, lookEveryMs, signal }: { ms: number; lookEveryMs: number; signal: AbortSignal },
): Promise<void> {
  const end = performance.now() + ms;
  while (isBusy() && performance.now() < end && !signal.aborted) {
    await rest(Math.min(lookEveryMs, end - performance.now()), signal);
  }
}
