import type { Redis } from 'ioredis';
import { ownBytes, type Answer } from '../answer.js';

/** How long an answer is cached (ms). */
export const STATS_LIFE_MS = 60_000;

/**
 * Statistics that were read from MongoDB within this time (ms) after a drop are ignored, too. The time of a read is
 * known only roughly, because replies of Redis may be late, and its clock may be set back a little.
 */
const SETTLING_MS = 5_000;

/**
 * The result of a look into the cache. `leftMs` is how long the answer is still cached (ms). `at` is the time of the look
 * by the clock of Redis (ms since 1970). `away`: the cache cannot be used.
 */
export type Cached =
  | { state: 'hit'; answer: Answer; leftMs: number }
  | { state: 'absent'; at: number }
  | { state: 'away' };

/** A cache of the statistics of servers, which all processes share. */
export interface StatsCache {
  read(serverId: string): Promise<Cached>;
  /** Stores an answer that was read after a look at `at`, in the background. A failure is ignored. */
  write(serverId: string, answer: Answer, at: number): void;
  /** From now on, this process takes no statistics of these servers that may have been read before. */
  drop(serverIds: readonly string[]): void;
  /** The same for all servers. Also makes the cache of use again after `suspend`. */
  dropAll(): void;
  /** Makes the cache of no use until `dropAll` is called, because this process may miss what is to be dropped. */
  suspend(): void;
}

/**
 * Makes a cache in Redis, where each answer stays for STATS_LIFE_MS. It is suspended at first. A value is the text
 * `etag length\n`, followed by the compressed body. Its time of expiry tells when it was read. `onFailure` is called when
 * Redis fails. `now` tells the time (ms), and `settlingMs` is SETTLING_MS unless a test gives it.
 *
 * Nobody deletes values from Redis. When a process is told to drop the statistics of a server, it only notes the time.
 * From then on, it ignores a value in Redis that was read from MongoDB before that time, or within `settlingMs` after
 * it. So a drop also takes effect while Redis is away. The time at which a value was stored says nothing: when a Redis
 * was frozen, it stores only afterwards what was sent to it before.
 */
export function createStatsCache(
  redis: Redis,
  namespace: string,
  {
    onFailure,
    now = () => performance.now(),
    settlingMs = SETTLING_MS,
  }: { onFailure: () => void; now?: () => number; settlingMs?: number | undefined },
): StatsCache {
  const keyOf = (serverId: string): string => `${namespace}:stats:${serverId}`;
  let allDroppedAt = Infinity;
  /** By server. */
  const droppedAt = new Map<string, number>();
  const isDropped = (serverId: string, readAt: number): boolean => {
    const last = Math.max(allDroppedAt, droppedAt.get(serverId) ?? -Infinity);
    return readAt < last + settlingMs;
  };
  return {
    async read(serverId) {
      if (allDroppedAt === Infinity) return { state: 'away' };
      const key = keyOf(serverId);
      try {
        const [stored, leftMs, [seconds, micros]] = await Promise.all([
          redis.getBuffer(key),
          redis.pttl(key),
          redis.time(),
        ]);
        const answer = parse(stored);
        const readAt = now() - (STATS_LIFE_MS - leftMs);
        if (answer && isLifeLeft(leftMs) && !isDropped(serverId, readAt))
          return { state: 'hit', answer, leftMs };
        const at = Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
        return { state: 'absent', at };
      } catch {
        onFailure();
        return { state: 'away' };
      }
    },
    write(serverId, { etag, length, gzip }, at) {
      if (!gzip) return;
      const value = Buffer.concat([Buffer.from(`${etag} ${length}\n`), gzip]);
      redis.set(keyOf(serverId), value, 'PXAT', at + STATS_LIFE_MS).catch(() => undefined);
    },
    drop(serverIds) {
      for (const serverId of serverIds) droppedAt.set(serverId, now());
    },
    dropAll() {
      allDroppedAt = now();
      droppedAt.clear();
    },
    suspend() {
      allDroppedAt = Infinity;
    },
  };
}

/**
 * Whether `leftMs` can be what is left of the life of a value. It is negative where there is no value, or no time of
 * expiry. It is longer than a whole life where the clock of Redis was set back after the value was stored. Then nobody
 * knows when the value was read, and it would stay for as long as the clock was set back.
 */
function isLifeLeft(leftMs: number): boolean {
  return leftMs > 0 && leftMs <= STATS_LIFE_MS;
}

function parse(stored: Buffer | null): Answer | undefined {
  const end = stored?.indexOf('\n') ?? -1;
  if (!stored || end < 0) return undefined;
  const [etag = '', length] = stored.toString('latin1', 0, end).split(' ');
  return { etag, length: Number(length), gzip: ownBytes(stored.subarray(end + 1)) };
}
