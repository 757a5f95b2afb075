import { createHash } from 'node:crypto';
import type { BucketSize, Settings } from '../settings.js';
import type { RouteName } from './routeNames.js';

/** The decision of a bucket about a request: its headers, and for how long the request is refused, if it is. */
export interface Verdict {
  headers: Record<string, string>;
  retryAfterMs: number | null;
  /** The hash of the bucket. */
  hash: string;
}

/** Counts requests in windows, by the hash of a route and by the guild or channel in the path. */
export interface Buckets {
  take(route: RouteName, subject: string | null, now: number): Verdict;
  renew(factor: number): void;
}

const size = (limit: number, windowMs: number): BucketSize => ({ limit, windowMs });

const SIZES: Record<RouteName, BucketSize> = {
  me: size(10, 10_000),
  application: size(10, 10_000),
  guilds: size(5, 5_000),
  guild: size(10, 10_000),
  guildChannels: size(10, 10_000),
  guildRoles: size(10, 10_000),
  member: size(5, 1_000),
  activeThreads: size(5, 5_000),
  channel: size(10, 5_000),
  archivedThreads: size(5, 2_000),
  messages: size(5, 1_000),
  message: size(5, 1_000),
  pins: size(2, 1_000),
  refreshUrls: size(5, 2_000),
  gateway: size(5, 5_000),
  gatewayBot: size(5, 5_000),
};

/** Routes that share the bucket of another route. */
const SHARED: Partial<Record<RouteName, RouteName>> = { guildRoles: 'guildChannels' };

/** The usual buckets, or those in the settings. */
export function createBuckets({ buckets, seed }: Pick<Settings, 'buckets' | 'seed'>): Buckets {
  const windows = new Map<string, { used: number; resetAt: number }>();
  let generation = 0;
  let scale = 1;
  return {
    take(route, subject, now) {
      const group = SHARED[route] ?? route;
      const { limit: usual, windowMs } = buckets[group] ?? SIZES[group];
      const limit = Math.max(1, Math.floor(usual * scale));
      const hash = hashOf(`${seed} ${generation} ${group}`);
      const key = `${hash}:${subject ?? ''}`;
      const known = windows.get(key);
      const window = known && known.resetAt > now ? known : { used: 0, resetAt: now + windowMs };
      windows.set(key, window);
      const isFull = window.used >= limit;
      if (!isFull) window.used += 1;
      const left = window.resetAt - now;
      return {
        hash,
        retryAfterMs: isFull ? left : null,
        headers: {
          'X-RateLimit-Limit': String(limit),
          'X-RateLimit-Remaining': String(limit - window.used),
          'X-RateLimit-Reset': ((Date.now() + left) / 1000).toFixed(3),
          'X-RateLimit-Reset-After': secondsOf(left),
          'X-RateLimit-Bucket': hash,
        },
      };
    },

    renew(factor) {
      generation += 1;
      scale *= factor;
      windows.clear();
    },
  };
}

/** Milliseconds in seconds, rounded up. */
export function secondsOf(ms: number): string {
  return (Math.ceil(ms) / 1000).toFixed(3);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
