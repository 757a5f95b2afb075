import type { Redis } from 'ioredis';
import type { Logger } from './logger.js';

/** Logs why a connection failed. Further failures are logged only after it has been ready again. */
export function logFailures(redis: Redis, logger: Logger): void {
  let isKnown = false;
  redis.on('error', (error: unknown) => {
    if (!isKnown) logger.warn({ err: error }, 'A connection to Redis failed');
    isKnown = true;
  });
  redis.on('ready', () => {
    isKnown = false;
  });
}
