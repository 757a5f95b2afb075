import { once } from 'node:events';
import type { Redis } from 'ioredis';
import type { Logger } from './logger.js';
import { PING_LIMIT_MS, watchStore, type StoreWatch } from './watchStore.js';

/**
 * Watches a connection that refuses commands while it is down. A server that is silent does not close it: then it is
 * given up, so that commands are refused at once in place of waiting one by one.
 */
export function watchRedis(name: string, redis: Redis, logger: Logger): StoreWatch {
  const ping = async (): Promise<void> => {
    // One that is just being opened is given its time.
    const signal = AbortSignal.timeout(PING_LIMIT_MS);
    if (redis.status !== 'ready') await once(redis, 'ready', { signal });
    await redis.ping();
  };
  return watchStore({
    ...{ name, ping, logger },
    onChange: (isUp) => {
      if (!isUp && redis.status === 'ready') redis.disconnect(true);
    },
  });
}
