import type { Redis } from 'ioredis';
import { statsCacheKey } from '../../../shared/jobs/announcements.js';
import type { Answer } from '../answer.js';

/** How long an answer is kept (ms). */
export const STATS_LIFE_MS = 60_000;

/** What the cache answers: an answer with the milliseconds for which it is still kept, nothing, or that it is away. */
export type Cached =
  | { state: 'hit'; answer: Answer; leftMs: number }
  | { state: 'absent' | 'away' };

export interface StatsCache {
  read(serverId: string): Promise<Cached>;
  /** Stores an answer, and does not wait for that. */
  write(serverId: string, answer: Answer): void;
}

/**
 * Keeps statistics in Redis for 60 seconds, as `etag length\n` and the gzip bytes. A failure of Redis counts as a miss,
 * and is reported to `onFailure`.
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
