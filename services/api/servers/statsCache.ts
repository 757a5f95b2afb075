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
 * `etag length at\n`, followed by the compressed body. `at` is when it was read, by the clock of Redis. `onFailure` is
 * called when Redis fails. `now` tells the time (ms), and `settlingMs` is SETTLING_MS unless a test gives it.
 *
 * Nobody deletes values from Redis. When a process is told to drop the statistics of a server, it only notes the time.
 * From then on, it ignores a value in Redis that was read from MongoDB before that time, or within `settlingMs` after
 * it. So a drop also takes effect while Redis is away. The time at which a value was stored says nothing: when a Redis
 * was frozen, it stores only afterwards what was sent to it before.
 *
 * The value itself tells when it was read. Its time of expiry would come in another reply: this process gets the old
 * value. Meanwhile another process stores a newer one. Then this process gets the time of the newer one.
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
      try {
        const [value, [seconds, micros]] = await Promise.all([
          redis.getBuffer(keyOf(serverId)),
          redis.time(),
        ]);
        const at = Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
        const stored = parse(value);
        const ageMs = at - (stored?.at ?? NaN);
        const isKept = isOfLife(ageMs) && !isDropped(serverId, now() - ageMs);
        return stored && isKept
          ? { state: 'hit', answer: stored.answer, leftMs: STATS_LIFE_MS - ageMs }
          : { state: 'absent', at };
      } catch {
        onFailure();
        return { state: 'away' };
      }
    },
    write(serverId, { etag, length, gzip }, at) {
      if (!gzip) return;
      const value = Buffer.concat([Buffer.from(`${etag} ${length} ${at}\n`), gzip]);
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
 * Whether a value of this age (ms) may still be given out. The age is negative where the clock of Redis was set back
 * after the value was read. Then nobody knows when it was read. The age is NaN where there is no value, or the value
 * does not tell it.
 */
function isOfLife(ageMs: number): boolean {
  return ageMs >= 0 && ageMs < STATS_LIFE_MS;
}

function parse(value: Buffer | null): { answer: Answer; at: number } | undefined {
  const end = value?.indexOf('\n') ?? -1;
  if (!value || end < 0) return undefined;
  const [etag = '', length, at] = value.toString('latin1', 0, end).split(' ');
  const gzip = ownBytes(value.subarray(end + 1));
  return { answer: { etag, length: Number(length), gzip }, at: Number(at) };
}
