/** SPEC 2.1 to 2.3, 2.8, 4.1 to 4.4: servers, channels, tags, statistics. */

/** SPEC 2.1. `icon` is the platform's icon hash. */
export interface Server {
  id: string;
  name: string;
  icon: string | null;
  description: string | null;
  memberCount: number;
}

/** SPEC 2.2. `type` is the platform's channel type; 15 is a forum. */
export interface Channel {
  id: string;
  name: string;
  type: number;
  topic: string | null;
  position: number;
  parentId: string | null;
  parentName: string | null;
}

/** SPEC 4.2. By position, then id. */
export interface ChannelList {
  channels: Channel[];
}

/** SPEC 2.3. */
export interface Tag {
  id: string;
  name: string;
  emoji: string | null;
  channelId: string;
  channelName: string;
}

/** SPEC 4.3. By channel position, then the forum's own order. */
export interface TagList {
  tags: Tag[];
}

/** SPEC 2.8. */
export interface ServerStats {
  serverId: string;
  serverName: string;
  stats: {
    /** Locked threads count in `total` only. */
    threads: { total: number; open: number; resolved: number; archived: number };
    /** `avgPerThread` has two decimals. */
    messages: { total: number; byHumans: number; byBots: number; avgPerThread: number };
    participants: { unique: number; humans: number; bots: number };
    channels: number;
    reactions: { total: number; uniqueEmojis: number };
  };
  topContributors: {
    userId: string;
    username: string;
    messageCount: number;
    threadCount: number;
  }[];
  mostActiveChannels: {
    channelId: string;
    channelName: string;
    threadCount: number;
    messageCount: number;
  }[];
  /** When the newest of the server's content was read from its source. */
  lastSyncAt: string;
}
