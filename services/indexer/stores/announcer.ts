import type { Redis } from 'ioredis';
import { announcementChannel, type Announcement } from '../../../shared/jobs/announcements.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { seldom } from '../../../shared/platform/seldom.js';

/**
 * Tells the API processes what has changed. With every announcement, they also drop the answers of searches, as any
 * change may change what is found.
 */
export interface Announcer {
  /** Tells of a change soon, together with the other changes of this turn of the event loop. Never throws. */
  announce(change: Partial<Announcement>): void;
  /** Tells of a change now. Rejects with NotAnnounced while Redis is away. */
  announceNow(change: Partial<Announcement>): Promise<void>;
}

/** A change was not announced, because Redis is away or refuses. */
export class NotAnnounced extends Error {
  override readonly name = 'NotAnnounced';

  constructor(cause: unknown) {
    super('A change was not announced through Redis', { cause });
  }
}

/** Whether a command had no answer in its time. */
const isOverdue = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Command timed out';

/** How long (ms) after a log line about announcements that are not sent the next one follows at the earliest. */
const TOLD_EVERY_MS = 30_000;

/**
 * An announcer over Redis. After an announcement that could not be sent, the next one says that everything may have
 * changed.
 */
export function createAnnouncer(redis: Redis, namespace: string, logger: Logger): Announcer {
  const channel = announcementChannel(namespace);
  // How many announcements were lost, and how many of these a later announcement has made up for.
  let lost = 0;
  let madeUpFor = 0;
  const tell = seldom(TOLD_EVERY_MS, (error: unknown) => {
    logger.warn({ err: error }, 'Announcements are not sent');
  });
  const publish = async (changes: readonly Partial<Announcement>[]): Promise<void> => {
    const change = together(changes);
    // Others may be lost while this one is under way. It does not make up for them.
    const lostBefore = lost;
    const message = lostBefore > madeUpFor ? { ...change, everything: true } : change;
    try {
      await redis.publish(channel, JSON.stringify(message));
      madeUpFor = Math.max(madeUpFor, lostBefore);
    } catch (error) {
      lost += 1;
      tell(error);
      // The connection may be dead without having been closed. Then it would stay silent for ever, so the client opens
      // a new one.
      if (isOverdue(error) && redis.status === 'ready') redis.disconnect(true);
      throw new NotAnnounced(error);
    }
  };
  const tryToPublish = (changes: readonly Partial<Announcement>[]): void =>
    void publish(changes).catch(() => undefined);
  redis.on('ready', () => {
    if (lost > madeUpFor) tryToPublish([]);
  });
  let gathered: Partial<Announcement>[] = [];
  const publishGathered = (): void => {
    const changes = gathered;
    gathered = [];
    tryToPublish(changes);
  };
  return {
    announce(change) {
      // All announcements of one turn of the event loop are sent together, as one transaction may store many threads.
      if (gathered.push(change) === 1) setImmediate(publishGathered);
    },
    announceNow: (change) => publish([change]),
  };
}

function together(changes: readonly Partial<Announcement>[]): Announcement {
  const statistics = changes.flatMap(({ statistics = [] }) => statistics);
  return {
    threads: changes.flatMap(({ threads = [] }) => threads),
    servers: [...new Set(changes.flatMap(({ servers = [] }) => servers))],
    users: changes.flatMap(({ users = [] }) => users),
    similar: changes.flatMap(({ similar = [] }) => similar),
    ...(statistics.length > 0 && { statistics }),
    ...(changes.some(({ everything }) => everything) && { everything: true }),
  };
}
