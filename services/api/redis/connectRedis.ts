import type { Redis } from 'ioredis';
import type { Logger } from '../../../shared/platform/logger.js';

/** Opens a connection in the background, for as long as it takes; its failures are logged, never thrown. */
export function connectRedis(redis: Redis, logger: Logger): Redis {
  redis.on('error', (error) => {
    logger.warn({ err: error }, 'The connection to Redis failed');
  });
  redis.connect().catch(() => undefined);
  return redis;
}

/** Closes a connection after its last answer, or at once where there is none to wait for. */
export async function closeRedis(redis: Redis): Promise<void> {
  await redis.quit().catch(() => {
    redis.disconnect();
  });
}
