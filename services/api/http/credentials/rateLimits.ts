import type { Redis } from 'ioredis';
import type { Settings } from '../../../../shared/platform/env.js';
import { RateLimiter, type SharedCount } from './rateLimiter.js';

/** The rate limits. */
export interface RateLimits {
  /** Counts reads by address. */
  reads: RateLimiter;
  /** Counts searches by address. */
  searches: RateLimiter;
  /** Counts wrong credentials by address. */
  failedCredentials: RateLimiter;
  /** Counts requests by key or user. */
  callers: RateLimiter;
  /** Stops sharing the counts. */
  stop(): void;
}

type RateSettings = Pick<
  Settings,
  'RATE_LIMIT_READS' | 'RATE_LIMIT_SEARCHES' | 'RATE_LIMIT_FAILED_CREDENTIALS' | 'RATE_LIMIT_CALLER'
>;

const SHARED_EVERY_MS = 1_000;
/** How long a shared count is kept after it was last raised (seconds). */
const KEPT_SECONDS = 90;

/** Makes the limits of the settings. Until `stop` is called, they share their counts through Redis once a second. */
export function createRateLimits(
  settings: RateSettings,
  redis: Redis,
  namespace: string,
): RateLimits {
  const make = (policy: string, limit: number): RateLimiter =>
    new RateLimiter({ policy, limit, shared: sharedCount(redis, `${namespace}:limit:${policy}`) });
  const limiters = {
    reads: make('reads', settings.RATE_LIMIT_READS),
    searches: make('searches', settings.RATE_LIMIT_SEARCHES),
    failedCredentials: make('failed-credentials', settings.RATE_LIMIT_FAILED_CREDENTIALS),
    callers: make('caller', settings.RATE_LIMIT_CALLER),
  };
  const timer = setInterval(() => {
    if (redis.status !== 'ready') return;
    for (const limiter of Object.values(limiters)) void limiter.share();
  }, SHARED_EVERY_MS).unref();
  return {
    ...limiters,
    stop: () => {
      clearInterval(timer);
    },
  };
}

function sharedCount(redis: Redis, keyPrefix: string): SharedCount {
  return async (name, window, hits) => {
    const key = `${keyPrefix}:${window}:${name}`;
    // Redis carries out both commands or none, so no count stays without an expiry.
    const answers = await redis.multi().incrby(key, hits).expire(key, KEPT_SECONDS).exec();
    const [error, whole] = answers![0]!;
    if (error) throw error;
    return whole as number;
  };
}
