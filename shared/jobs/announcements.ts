import type { Redis } from 'ioredis';

/** What the indexer tells every API process after it has stored something newer: the ids of what has changed. */
export interface Announcement {
  threads: { threadId: string; serverId: string; channelId: string }[];
  /** Servers whose bodies (server, channels, tags, statistics) or leaderboards have changed. */
  servers: string[];
  users: string[];
  /** Threads whose list of similar threads has changed. */
  similar: string[];
  /** Set when earlier announcements were lost. Then anything may have changed. */
  everything?: boolean;
}

/** The Redis pub/sub channel of an archive; `namespace` is the database's name. */
export function announcementChannel(namespace: string): string {
  return `${namespace}:announcements`;
}

/** The Redis key of a server's cached statistics. */
export function statsCacheKey(namespace: string, serverId: string): string {
  return `${namespace}:stats:${serverId}`;
}

/** For so long (ms) after a change, an answer that was read before it may still be written to the cache. */
const SETTLING_MS = 5_000;

/**
 * Removes a server's statistics from the cache, and keeps the cache from storing them for a moment. So a reader that
 * began before cannot store old ones. Throws while Redis is away.
 */
export async function dropCachedStats(
  redis: Redis,
  namespace: string,
  serverId: string,
): Promise<void> {
  await keepEmpty(redis, statsCacheKey(namespace, serverId));
}

/**
 * Makes every API process drop all that it caches, and removes the statistics of every server from the cache. It is
 * called where nobody knows what has changed. Throws while Redis is away.
 */
export async function announceEverything(redis: Redis, namespace: string): Promise<void> {
  // The name of a database may have signs that have a meaning in a pattern of Redis.
  const literally = namespace.replace(/[*?[]/g, '\\$&');
  const keys = redis.scanStream({ match: statsCacheKey(literally, '*'), count: 1_000 });
  for await (const batch of keys as AsyncIterable<string[]>) {
    await Promise.all(batch.map((key) => keepEmpty(redis, key)));
  }
  const nothing: Announcement = { threads: [], servers: [], users: [], similar: [] };
  const message = JSON.stringify({ ...nothing, everything: true });
  await redis.publish(announcementChannel(namespace), message);
}

async function keepEmpty(redis: Redis, key: string): Promise<void> {
  await redis.set(key, '', 'PX', SETTLING_MS);
}
