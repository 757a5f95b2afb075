import type { Redis } from 'ioredis';
import type { Answer } from '../answer.js';

/** How long an answer is cached (ms). */
export const STATS_LIFE_MS = 60_000;

/**
 * For so long (ms) after a change, an answer that was read before it may still be written to the cache. It is longer
 * than any read may take.
 */
const SETTLING_MS = 5_000;

/**
 * The result of a look into the cache. `leftMs` is how long the answer is still cached (ms). `away`: the cache cannot be
 * used.
 */
export type Cached =
  | { state: 'hit'; answer: Answer; leftMs: number }
  | { state: 'absent' | 'away' };

/** A cache of the statistics of servers, which all processes share. */
export interface StatsCache {
  read(serverId: string): Promise<Cached>;
  /** Stores an answer in the background. A failure is ignored. */
  write(serverId: string, answer: Answer): void;
  /** From now on, this process takes no statistics of these servers that may have been read before. */
  drop(serverIds: readonly string[]): void;
  /** The same for all servers. Also makes the cache of use again after `suspend`. */
  dropAll(): void;
  /** Makes the cache of no use until `dropAll` is called, because this process may miss what is to be dropped. */
  suspend(): void;
}

/**
 * Makes a cache in Redis, where each answer stays for STATS_LIFE_MS. It is suspended at first. A value is the text
 * `etag length\n`, followed by the compressed body. `onFailure` is called when Redis fails. `now` tells the time (ms),
 * and `settlingMs` is SETTLING_MS unless a test gives it.
 *
 * Nothing is ever taken out of Redis. Each process remembers when it was last told to drop the statistics of a server,
 * and leaves what was written until shortly after that. So a process that drops needs no answer of Redis, and nobody
 * has to reach all values of all processes.
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
  const isDropped = (serverId: string, leftMs: number): boolean => {
    const writtenAt = now() - (STATS_LIFE_MS - leftMs);
    const last = Math.max(allDroppedAt, droppedAt.get(serverId) ?? -Infinity);
    return writtenAt < last + settlingMs;
  };
  return {
    async read(serverId) {
      if (allDroppedAt === Infinity) return { state: 'away' };
      const key = keyOf(serverId);
      try {
        const [stored, leftMs] = await Promise.all([redis.getBuffer(key), redis.pttl(key)]);
        const answer = parse(stored);
        if (!answer || leftMs <= 0 || isDropped(serverId, leftMs)) return { state: 'absent' };
        return { state: 'hit', answer, leftMs };
      } catch {
        onFailure();
        return { state: 'away' };
      }
    },
    write(serverId, { etag, length, gzip }) {
      if (!gzip) return;
      const value = Buffer.concat([Buffer.from(`${etag} ${length}\n`), gzip]);
      redis.set(keyOf(serverId), value, 'PX', STATS_LIFE_MS).catch(() => undefined);
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

function parse(stored: Buffer | null): Answer | undefined {
  const end = stored?.indexOf('\n') ?? -1;
  if (!stored || end < 0) return undefined;
  const [etag = '', length] = stored.toString('latin1', 0, end).split(' ');
  return { etag, length: Number(length), gzip: stored.subarray(end + 1) };
}
