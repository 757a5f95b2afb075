import type { Redis } from 'ioredis';

/**
 * Remembers why a connection is away, which what it refuses meanwhile does not say. Gives undefined while it is there.
 */
export function whyAway(redis: Redis): () => Error | undefined {
  let failure: Error | undefined;
  let isFirst = true;
  redis.on('error', (error: Error) => {
    // What else fails in the same try to connect follows from the first failure.
    if (isFirst) failure = error;
    isFirst = false;
  });
  redis.on('close', () => (isFirst = true));
  redis.on('ready', () => (failure = undefined));
  return () => failure;
}
