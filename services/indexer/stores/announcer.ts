import type { Redis } from 'ioredis';
import {
  announcementChannel,
  dropCachedStats,
  type Announcement,
} from '../../../shared/jobs/announcements.js';
import type { Logger } from '../../../shared/platform/logger.js';

/** Tells the API processes what has changed. */
export interface Announcer {
  announce(change: Partial<Announcement>): void;
  /** Takes a server's statistics out of the shared cache. */
  dropStats(serverId: string): Promise<void>;
}

/**
 * An announcer over Redis. While Redis is away announcements are lost, which readers survive: the API falls back to a
 * short time limit when its subscription is down, and empties its cache when it is back.
 */
export function createAnnouncer(redis: Redis, namespace: string, logger: Logger): Announcer {
  const channel = announcementChannel(namespace);
  return {
    dropStats: (serverId) => dropCachedStats(redis, namespace, serverId),
    announce(change) {
      const message: Announcement = { threads: [], servers: [], users: [], similar: [], ...change };
      redis.publish(channel, JSON.stringify(message)).catch((error: unknown) => {
        logger.warn({ error }, 'An announcement was not sent');
      });
    },
  };
}
