import type { Announcement } from '../../shared/jobs/announcements.js';

/**
 * Cache tags. Each names something that answers depend on. When that thing changes, every cached answer with its tag is
 * dropped.
 */
export const tags = {
  servers: 'servers',
  server: (serverId: string) => `server:${serverId}`,
  thread: (threadId: string) => `thread:${threadId}`,
  user: (userId: string) => `user:${userId}`,
  similar: (threadId: string) => `similar:${threadId}`,
  /** The tag of all searches and completions. Any change of the archive may change what they find. */
  searches: 'searches',
  /** The tag of a page of threads: that of its channel if it has one, else of its server, else of all lists. */
  list: (place: { serverId?: string; channelId?: string }) =>
    place.channelId
      ? `list:c${place.channelId}`
      : place.serverId
        ? `list:s${place.serverId}`
        : 'list:*',
};

/** The tags of everything that has changed according to an announcement. */
export function changedTags({
  threads,
  servers,
  users,
  similar,
  statistics = [],
}: Announcement): string[] {
  const changed = new Set<string>([tags.searches]);
  for (const { threadId, serverId, channelId } of threads) {
    changed.add(tags.thread(threadId));
    changed.add(tags.list({ channelId })).add(tags.list({ serverId })).add(tags.list({}));
  }
  for (const serverId of [...servers, ...statistics])
    changed.add(tags.server(serverId)).add(tags.servers);
  for (const userId of users) changed.add(tags.user(userId));
  for (const threadId of similar) changed.add(tags.similar(threadId));
  return [...changed];
}

/** Parses a published announcement. Throws SyntaxError or TypeError where the text is not an announcement. */
export function parseAnnouncement(message: string): Announcement {
  const value = JSON.parse(message) as Partial<Announcement>;
  const { threads, servers, users, similar = [], statistics = [], everything = false } = value;
  if (
    !Array.isArray(threads) ||
    !Array.isArray(servers) ||
    !Array.isArray(users) ||
    !Array.isArray(similar) ||
    !Array.isArray(statistics)
  ) {
    throw new TypeError('Not an announcement');
  }
  return { threads, servers, users, similar, statistics, everything };
}
