import type { Logger } from './logger.js';
import { withTimeout } from './withTimeout.js';

/** Milliseconds between two questions to a store that is used, unless told otherwise. */
const EVERY_MS = 500;
/** The same while nobody uses it: what it is asked for next starts the questions again. */
const UNUSED_EVERY_MS = 5_000;
/** Milliseconds in which a store has to answer when it is asked for a sign of life, unless told otherwise. */
export const PING_LIMIT_MS = 750;
/** Milliseconds to the next question after one that was not answered, while that alone proves nothing. */
const AGAIN_MS = 50;
/** Questions in a row that a store must leave unanswered to count as away. */
const MOST_MISSES = 2;

/** What is known of a store, by asking it regularly. */
export interface StoreWatch {
  /**
   * Whether it answers, as far as is known: of one that is used, a change is known within `everyMs` and twice `limitMs`
   * (two seconds).
   */
  readonly isUp: boolean;
  /** It is asked for something. */
  used(): void;
  /** Asks it now: whether it answers within `limitMs`. */
  look(): Promise<boolean>;
  /** Something it was asked for came: it lives, however busy it may be. */
  answered(): void;
  /** Something it was asked for failed: it is asked now rather than at the next time. */
  suspect(): void;
  stop(): void;
}

export interface WatchOptions {
  /** The store's name in the log. */
  name: string;
  /** Asks the store for a sign of life; rejects without one. */
  ping: () => Promise<unknown>;
  logger: Logger;
  everyMs?: number;
  limitMs?: number;
  onChange?: (isUp: boolean) => void;
}

/** Watches a store until it is told to stop; only changes are logged. */
export function watchStore({
  name,
  ping,
  logger,
  everyMs = EVERY_MS,
  limitMs = PING_LIMIT_MS,
  onChange,
}: WatchOptions): StoreWatch {
  let isUp = true;
  // A store that has never answered is away at the first question that it leaves open.
  let misses = MOST_MISSES - 1;
  let awaySince = 0;
  let answeredAt = -Infinity;
  let askedAt = -Infinity;
  let usedAt = -Infinity;
  let nextAt = -Infinity;
  let asking: Promise<boolean> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const turn = (to: boolean): void => {
    if (to === isUp) return;
    isUp = to;
    if (isUp)
      logger.info({ store: name, awayMs: Math.round(performance.now() - awaySince) }, 'Back');
    else logger.warn({ store: name }, 'A store is away');
    awaySince = performance.now();
    onChange?.(isUp);
  };
  const ask = async (): Promise<boolean> => {
    clearTimeout(timer);
    askedAt = performance.now();
    const answers = await withTimeout(limitMs, ping).then(
      () => true,
      () => false,
    );
    const lives = answers || answeredAt > askedAt;
    asking = undefined;
    if (stopped) return lives;
    misses = lives ? 0 : misses + 1;
    if (lives) turn(true);
    else if (misses >= MOST_MISSES) turn(false);
    if (!lives && isUp) lookIn(AGAIN_MS);
    else lookIn(isUp && usedAt < askedAt ? UNUSED_EVERY_MS : everyMs);
    return lives;
  };
  const lookIn = (ms: number): void => {
    clearTimeout(timer);
    nextAt = performance.now() + ms;
    timer = setTimeout(() => void look(), ms).unref();
  };
  const look = (): Promise<boolean> => (asking ??= ask());

  void look();
  return {
    get isUp() {
      return isUp;
    },
    look,
    used() {
      usedAt = performance.now();
      if (!asking && nextAt - usedAt > everyMs) lookIn(everyMs);
    },
    answered() {
      answeredAt = performance.now();
    },
    suspect() {
      if (isUp && performance.now() - askedAt > AGAIN_MS) void look();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
