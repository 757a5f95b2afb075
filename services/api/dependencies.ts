import type { Announcement } from '../../shared/jobs/announcements.js';

/**
 * Cache tags: each names something that answers depend on. When a tag is announced, every cached answer with it is
 * dropped.
 */
export const tags = {
  servers: 'servers',
  server: (serverId: string) => `server:${serverId}`,
  thread: (threadId: string) => `thread:${threadId}`,
  user: (userId: string) => `user:${userId}`,
  similar: (threadId: string) => `similar:${threadId}`,
  /** What a search or a completion finds may change with any change of the archive. */
  searches: 'searches',
  /** A page of a list has the tag of its narrowest place: the channel, else the server, else everywhere. */
  list: (place: { serverId?: string; channelId?: string }) =>
    place.channelId
      ? `list:c${place.channelId}`
      : place.serverId
        ? `list:s${place.serverId}`
        : 'list:*',
};

/** The tags of everything that has changed according to an announcement. */
export function changedTags({ threads, servers, users, similar }: Announcement): string[] {
  const changed = new Set<string>([tags.searches]);
  for (const { threadId, serverId, channelId } of threads) {
    changed.add(tags.thread(threadId));
    changed.add(tags.list({ channelId })).add(tags.list({ serverId })).add(tags.list({}));
  }
  for (const serverId of servers) changed.add(tags.server(serverId)).add(tags.servers);
  for (const userId of users) changed.add(tags.user(userId));
  for (const threadId of similar) changed.add(tags.similar(threadId));
  return [...changed];
}

/** Parses a published announcement. Throws where the text is none. */
export function parseAnnouncement(message: string): Announcement {
  const value = JSON.parse(message) as Partial<Announcement>;
  const { threads, servers, users, similar = [], everything = false } = value;
  if (
    !Array.isArray(threads) ||
    !Array.isArray(servers) ||
    !Array.isArray(users) ||
    !Array.isArray(similar)
  ) {
    throw new TypeError('Not an announcement');
  }
  return { threads, servers, users, similar, everything };
}
