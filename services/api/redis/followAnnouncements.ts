import type { Redis } from 'ioredis';
import type { Logger } from '../../../shared/platform/logger.js';
import { changedTags, parseAnnouncement } from '../dependencies.js';
import { connectRedis } from './connectRedis.js';

/**
 * Milliseconds between two pings of the subscription. Together with the time that a ping may take, it is under a
 * second.
 */
const HEARTBEAT = 600;

export interface Listening {
  /** Drops the answers with these tags, because they have changed. */
  invalidate(tags: readonly string[]): void;
  /** Drops all answers, because nobody knows what has changed. */
  clear(): void;
  /** Tells that announcements arrive from now on. */
  resume(): void;
  /** Tells that announcements may be missed from now on. */
  suspend(): void;
}

export interface Subscription {
  stop(): void;
}

/**
 * Passes announcements on to a cache, over a connection of their own. The cache is suspended while they cannot be
 * received.
 */
export function followAnnouncements(
  redis: Redis,
  channel: string,
  cache: Listening,
  logger: Logger,
): Subscription {
  const subscribe = async (): Promise<void> => {
    try {
      await redis.subscribe(channel);
      cache.resume();
    } catch {
      redis.disconnect(true);
    }
  };
  redis.on('message', (_channel, message) => {
    empty(message, cache, logger);
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

function empty(message: string, cache: Listening, logger: Logger): void {
  try {
    const announcement = parseAnnouncement(message);
    if (announcement.everything) cache.clear();
    else cache.invalidate(changedTags(announcement));
  } catch (error) {
    logger.error({ err: error }, 'An announcement could not be read');
    cache.clear();
  }
}

/** Pings the connection. A dead connection may look open, and receive nothing. */
async function beat(redis: Redis, cache: Listening): Promise<void> {
  if (redis.status !== 'ready') return;
  try {
    await redis.ping();
  } catch {
    // A frozen server does not close its connection, so there is no 'close' event.
    cache.suspend();
    redis.disconnect(true);
  }
}
