import { once } from 'node:events';
import type { Redis } from 'ioredis';
import type { Logger } from './logger.js';
import { PING_LIMIT_MS, watchStore, type StoreWatch } from './watchStore.js';

/**
 * Watches a Redis connection. A silent server does not close its connection, and each command would wait for its own
 * timeout. So this closes a connection whose pings fail, and commands are then refused at once.
 */
export function watchRedis(
  name: string,
  redis: Redis,
  logger: Logger,
  limitMs = PING_LIMIT_MS,
): StoreWatch {
  const ping = async (): Promise<void> => {
    // A connection that is being opened may take as long as a ping.
    const signal = AbortSignal.timeout(limitMs);
    if (redis.status !== 'ready') await once(redis, 'ready', { signal });
    await redis.ping();
  };
  return watchStore({
    name,
    ping,
    logger,
    limitMs,
    onChange: (isUp) => {
      if (!isUp && redis.status === 'ready') redis.disconnect(true);
    },
  });
}
