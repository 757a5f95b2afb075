import type { Redis } from 'ioredis';

/**
 * Remembers why a connection is away, because the errors of commands do not say so then. The function that it returns
 * gives that error, or undefined while the connection is up.
 */
export function whyAway(redis: Redis): () => Error | undefined {
  let failure: Error | undefined;
  let isFirst = true;
  redis.on('error', (error: Error) => {
    // Later failures of the same attempt to connect follow from the first one.
    if (isFirst) failure = error;
    isFirst = false;
  });
  redis.on('close', () => {
    isFirst = true;
    // A proxy whose server is away accepts a connection and closes it, which is no error to the driver.
    failure ??= new Error('the connection was closed');
  });
  redis.on('ready', () => (failure = undefined));
  return () => failure;
}
