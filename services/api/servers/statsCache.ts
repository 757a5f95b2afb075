import type { Redis } from 'ioredis';
import { statsCacheKey } from '../../../shared/jobs/announcements.js';
import type { Answer } from '../answer.js';

/** How long an answer is cached (ms). */
export const STATS_LIFE_MS = 60_000;

/** The result of a look into the cache. `leftMs` is how long the answer is still cached (ms). `away`: Redis failed. */
export type Cached =
  | { state: 'hit'; answer: Answer; leftMs: number }
  | { state: 'absent' | 'away' };

/** A cache of the statistics of servers. */
export interface StatsCache {
  read(serverId: string): Promise<Cached>;
  /** Stores an answer in the background. A failure is ignored. */
  write(serverId: string, answer: Answer): void;
}

/**
 * Makes a cache in Redis, where each answer stays for STATS_LIFE_MS. A value is the text `etag length\n`, followed by
 * the compressed body. `onFailure` is called when Redis fails.
 */
export function createStatsCache(
  redis: Redis,
  namespace: string,
  onFailure: () => void,
): StatsCache {
  return {
    async read(serverId) {
      const key = statsCacheKey(namespace, serverId);
      try {
        const [stored, left] = await Promise.all([redis.getBuffer(key), redis.pttl(key)]);
        return parse(stored, left);
      } catch {
        onFailure();
        return { state: 'away' };
      }
    },
    write(serverId, { etag, length, gzip }) {
      if (!gzip) return;
      const value = Buffer.concat([Buffer.from(`${etag} ${length}\n`), gzip]);
      const key = statsCacheKey(namespace, serverId);
      // Worker A reads statistics. Meanwhile the indexer replaces them, and puts an empty value under this key. Because
      // of NX, A does not replace the empty value by what it has read.
      redis.set(key, value, 'PX', STATS_LIFE_MS, 'NX').catch(() => undefined);
    },
  };
}

function parse(stored: Buffer | null, left: number): Cached {
  const end = stored?.indexOf('\n') ?? -1;
  if (!stored || end < 0 || left <= 0) return { state: 'absent' };
  const [etag = '', length] = stored.toString('latin1', 0, end).split(' ');
  return {
    state: 'hit',
    answer: { etag, length: Number(length), gzip: stored.subarray(end + 1) },
    leftMs: left,
  };
}
