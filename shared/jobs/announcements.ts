/** What the indexer tells every API process after it has stored something newer: ids whose answers have changed. */
export interface Announcement {
  threads: { threadId: string; serverId: string; channelId: string }[];
  /** Server bodies (server, channels, tags, stats) and leaderboards. */
  servers: string[];
  users: string[];
  /** Threads whose similar threads are shown anew. */
  similar: string[];
}

/** The Redis pub/sub channel of an archive; `namespace` is the database's name. */
export function announcementChannel(namespace: string): string {
  return `${namespace}:announcements`;
}

/** The Redis key of a server's cached statistics. */
export function statsCacheKey(namespace: string, serverId: string): string {
  return `${namespace}:stats:${serverId}`;
}
