import type { Redis } from 'ioredis';
import type { Logger } from './logger.js';

/**
 * Logs which connection failed (host and port), and why. Further failures are logged only after it has been ready again.
 */
export function logFailures(redis: Redis, logger: Logger): void {
  let isKnown = false;
  const { host, port } = redis.options;
  redis.on('error', (error: unknown) => {
    if (!isKnown) {
      logger.warn({ err: error, redis: `${host}:${port}` }, 'A connection to Redis failed');
    }
    isKnown = true;
  });
  redis.on('ready', () => {
    isKnown = false;
  });
}
