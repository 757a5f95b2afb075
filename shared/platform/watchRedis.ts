import { once } from 'node:events';
import type { Redis } from 'ioredis';
import type { Logger } from './logger.js';
import { PING_LIMIT_MS, watchStore, type StoreWatch } from './watchStore.js';

/**
 * Watches a connection that refuses commands while it is down. A silent server does not close its connection. So this
 * closes it, and commands are refused at once instead of waiting for their timeout one by one.
 */
export function watchRedis(name: string, redis: Redis, logger: Logger): StoreWatch {
  const ping = async (): Promise<void> => {
    // A connection that is being opened may take as long as a ping.
    const signal = AbortSignal.timeout(PING_LIMIT_MS);
    if (redis.status !== 'ready') await once(redis, 'ready', { signal });
    await redis.ping();
  };
  return watchStore({
    name,
    ping,
    logger,
    onChange: (isUp) => {
      if (!isUp && redis.status === 'ready') redis.disconnect(true);
    },
  });
}
