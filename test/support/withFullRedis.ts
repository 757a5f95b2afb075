import { withOwnRedis } from './withOwnRedis.js';

/** Runs `work` with the address of a Redis that answers, but stores nothing, because its memory is full. */
export function withFullRedis(work: (url: string) => Promise<void>): Promise<void> {
  return withOwnRedis((redis) => redis.config('SET', 'maxmemory', '1'), work);
}
