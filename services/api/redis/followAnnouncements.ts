import type { Redis } from 'ioredis';
import { ReplyError } from '../../../shared/drivers/ioredis.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { seldom } from '../../../shared/platform/seldom.js';
import type { Announcement } from '../../../shared/jobs/announcements.js';
import { parseAnnouncement } from '../dependencies.js';
import { connectRedis } from './connectRedis.js';

/** The time between two pings of the subscription (ms). With the limit of a ping, 250 ms, it is less than a second. */
const HEARTBEAT = 600;

/** How long (ms) after a log line about a refused subscription the next one follows at the earliest. */
const TOLD_EVERY_MS = 30_000;

/** What follows announcements. */
export interface Listening {
  /** Drops the answers that depend on what has changed. */
  drop(changed: Announcement): void;
  /** Drops all answers, because nobody knows what has changed. */
  clear(): void;
  /** Is called when announcements begin to arrive. */
  resume(): void;
  /** Is called when announcements may be missed from now on. */
  suspend(): void;
}

export interface Subscription {
  stop(): void;
}

/**
 * Subscribes to announcements over `redis`, which must have no other use, and passes them on to a cache until `stop` is
 * called. While no announcements can be received, the cache is suspended.
 */
export function followAnnouncements(
  redis: Redis,
  channel: string,
  cache: Listening,
  logger: Logger,
): Subscription {
  const tell = seldom(TOLD_EVERY_MS, (error: unknown) => {
    logger.warn(
      { err: error },
      'Redis refuses the announcements, so answers are cached for a second',
    );
  });
  const subscribe = async (): Promise<void> => {
    try {
      await redis.subscribe(channel);
      cache.resume();
    } catch (error) {
      // Any other error means that Redis is away, which is logged by its watch.
      if (error instanceof ReplyError) tell(error);
      redis.disconnect(true);
    }
  };
  redis.on('message', (_channel, message) => {
    passOn(message, cache, logger);
  });
  redis.on('ready', () => void subscribe());
  redis.on('close', () => {
    cache.suspend();
  });
  connectRedis(redis, logger);
  const heartbeat = setInterval(() => void beat(redis, cache), HEARTBEAT);
  return {
    stop() {
      clearInterval(heartbeat);
      redis.disconnect();
    },
  };
}

function passOn(message: string, cache: Listening, logger: Logger): void {
  try {
    const announcement = parseAnnouncement(message);
    if (announcement.everything) cache.clear();
    else cache.drop(announcement);
  } catch (error) {
    logger.error({ err: error }, 'An announcement could not be read');
    cache.clear();
  }
}

/** Pings the connection, and opens it anew where no answer comes. */
async function beat(redis: Redis, cache: Listening): Promise<void> {
  if (redis.status !== 'ready') return;
  try {
    await redis.ping();
  } catch {
    // A frozen server does not close its connection, so no 'close' event has come.
    cache.suspend();
    redis.disconnect(true);
  }
}
