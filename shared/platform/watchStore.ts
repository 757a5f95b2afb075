import type { Logger } from './logger.js';
import { withTimeout } from './withTimeout.js';

/** Milliseconds between two pings of a store in use (default). */
const EVERY_MS = 500;
/** Milliseconds between two pings of a store that nobody uses. The next call to the store shortens this again. */
const UNUSED_EVERY_MS = 5_000;
/** How long a store may take to answer a ping (ms, default). */
export const PING_LIMIT_MS = 750;
/** How soon a store is pinged again (ms) after the first ping without an answer. */
const AGAIN_MS = 50;
/** How many pings in a row have to stay without an answer until a store counts as away. */
const MOST_MISSES = 2;

/** The state of a store, known from regular pings. */
export interface StoreWatch {
  /**
   * Whether the store answers, as far as is known. While it is used, a change is noticed within `everyMs` + 2 ×
   * `limitMs`, which is two seconds by default.
   */
  readonly isUp: boolean;
  /** Notes that a call to the store was made. */
  used(): void;
  /** Pings the store now. Resolves with whether it answers within `limitMs`. */
  look(): Promise<boolean>;
  /** Notes that the store answered a call. It then counts as up, even if it is too busy to answer a ping in time. */
  answered(): void;
  /** Notes that a call to the store failed. The store is then pinged at once. */
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

/** Watches a store until `stop` is called. It logs only changes. */
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

  const turn = (to: boolean, why?: unknown): void => {
    if (to === isUp) return;
    isUp = to;
    if (isUp)
      logger.info(
        { store: name, awayMs: Math.round(performance.now() - awaySince) },
        'A store is back',
      );
    else logger.warn({ store: name, err: why }, 'A store is away');
    awaySince = performance.now();
    onChange?.(isUp);
  };
  const ask = async (): Promise<boolean> => {
    askedAt = performance.now();
    let failure: unknown;
    const answers = await withTimeout(limitMs, ping).then(
      () => true,
      (error: unknown) => {
        failure = error;
        return false;
      },
    );
    const lives = answers || answeredAt > askedAt;
    asking = undefined;
    if (stopped) return lives;
    misses = lives ? 0 : misses + 1;
    if (lives) turn(true);
    else if (misses >= MOST_MISSES) turn(false, failure);
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
