import type { Redis } from 'ioredis';
import { logFailures } from '../../../shared/platform/logFailures.js';
import type { Logger } from '../../../shared/platform/logger.js';

/** Opens a connection in the background, and logs its failures. It never throws. */
export function connectRedis(redis: Redis, logger: Logger): Redis {
  logFailures(redis, logger);
  redis.connect().catch(() => undefined);
  return redis;
}
