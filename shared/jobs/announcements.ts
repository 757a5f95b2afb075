/** What the indexer tells every API process after it has stored something newer: the ids of what has changed. */
export interface Announcement {
  threads: { threadId: string; serverId: string; channelId: string }[];
  /** Servers whose bodies (server, channels, tags, statistics) or leaderboards have changed. */
  servers: string[];
  users: string[];
  /** Threads whose list of similar threads has changed. */
  similar: string[];
  /**
   * Servers whose statistics must not come from the shared cache any more, because something was removed, or somebody
   * asked for a new count. After any other change, the cache gives out the earlier ones for up to 60 seconds.
   */
  statistics?: string[];
  /** Set when earlier announcements were lost, or nobody knows what has changed. Then anything may have changed. */
  everything?: boolean;
}

/** The Redis pub/sub channel of an archive; `namespace` is the database's name. */
export function announcementChannel(namespace: string): string {
  return `${namespace}:announcements`;
}
