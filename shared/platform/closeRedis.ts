import type { Redis } from 'ioredis';

/** Closes a connection after its last answer, or at once where there is none to wait for. */
export async function closeRedis(redis: Redis): Promise<void> {
  await redis.quit().catch(() => {
    redis.disconnect();
  });
}
