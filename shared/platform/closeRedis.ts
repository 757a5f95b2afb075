import type { Redis } from 'ioredis';

/** Closes a connection after the answer to its last command, or at once where no answer can come. */
export async function closeRedis(redis: Redis): Promise<void> {
  await redis.quit().catch(() => {
    redis.disconnect();
  });
}
