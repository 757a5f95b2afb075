import type { Logger } from './logger.js';
import { withTimeout } from './withTimeout.js';

/** Milliseconds between two pings of a store that is used (default). */
const EVERY_MS = 500;
/** The same while nobody uses it. The next call to it shortens the time again. */
const UNUSED_EVERY_MS = 5_000;
/** Milliseconds in which a store has to answer a ping (default). */
export const PING_LIMIT_MS = 750;
/** Milliseconds to the next ping after a single one that was not answered. */
const AGAIN_MS = 50;
/** Unanswered pings in a row after which a store counts as away. */
const MOST_MISSES = 2;

/** What is known of a store, by pinging it regularly. */
export interface StoreWatch {
  /**
   * Whether it answers, as far as is known. While the store is used, a change is noticed within `everyMs` and twice
   * `limitMs`, which by default are two seconds.
   */
  readonly isUp: boolean;
  /** Says that a call to it was made. */
  used(): void;
  /** Pings it now. Resolves with whether it answers within `limitMs`. */
  look(): Promise<boolean>;
  /** Says that it answered a call. It is then up, even if it is too busy to answer a ping in time. */
  answered(): void;
  /** Says that a call to it failed. It is then pinged at once. */
  suspect(): void;
  stop(): void;
}

export interface WatchOptions {
  /** The store's name in the log. */
  name: string;
  /** Pings the store; rejects without an answer. */
  ping: () => Promise<unknown>;
  logger: Logger;
  everyMs?: number;
  limitMs?: number;
  onChange?: (isUp: boolean) => void;
}

/** Watches a store until `stop` is called. Only changes are logged. */
export function watchStore({
  name,
  ping,
  logger,
  everyMs = EVERY_MS,
  limitMs = PING_LIMIT_MS,
  onChange,
}: WatchOptions): StoreWatch {
  let isUp = true;
  // A store that has never answered counts as away after its first unanswered ping.
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
      if (nextAt - usedAt > everyMs) lookIn(everyMs);
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
