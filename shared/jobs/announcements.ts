import type { Redis } from 'ioredis';

/** What the indexer tells every API process after it has stored something newer: ids whose answers have changed. */
export interface Announcement {
  threads: { threadId: string; serverId: string; channelId: string }[];
  /** Server bodies (server, channels, tags, stats) and leaderboards. */
  servers: string[];
  users: string[];
  /** Threads whose similar threads are shown anew. */
  similar: string[];
  /** Set when earlier announcements were lost: everything may have changed. */
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

/** Milliseconds after a change in which an answer that was read before it may still be on its way to the cache. */
const SETTLING_MS = 5_000;

/**
 * Takes a server's statistics out of the cache and keeps it empty for a moment, so that a reader who was under way
 * cannot put the old ones back. Throws while Redis is away.
 */
export async function dropCachedStats(
  redis: Redis,
  namespace: string,
  serverId: string,
): Promise<void> {
  await keepEmpty(redis, statsCacheKey(namespace, serverId));
}

/**
 * Has every API process forget what it holds, and takes the statistics of every server out of the cache: nobody knows
 * what has changed. Throws while Redis is away.
 */
export async function announceEverything(redis: Redis, namespace: string): Promise<void> {
  const keys = redis.scanStream({ match: statsCacheKey(namespace, '*'), count: 1_000 });
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
