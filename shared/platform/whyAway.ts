import type { Redis } from 'ioredis';

/**
 * Remembers why a connection is away, which what it refuses meanwhile does not say. Gives undefined while it is there.
 */
export function whyAway(redis: Redis): () => Error | undefined {
  let failure: Error | undefined;
  redis.on('error', (error: Error) => (failure = error));
  redis.on('ready', () => (failure = undefined));
  return () => failure;
}
