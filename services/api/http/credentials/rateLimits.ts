import type { Redis } from 'ioredis';
import type { Settings } from '../../../../shared/platform/env.js';
import { RateLimiter, type SharedCount } from './rateLimiter.js';

/** The limits, each for a minute. */
export interface RateLimits {
  /** Counts by address. */
  reads: RateLimiter;
  searches: RateLimiter;
  failedCredentials: RateLimiter;
  /** Counts by key or user. */
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

/** The limits that the settings name. Their counts are shared through Redis while it answers. */
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
    // Both commands take effect together. So no count is kept for good.
    const answers = await redis.multi().incrby(key, hits).expire(key, KEPT_SECONDS).exec();
    const [error, whole] = answers![0]!;
    if (error) throw error;
    return whole as number;
  };
}
