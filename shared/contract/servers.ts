/** Servers, their forum channels, tags and statistics. */
import Joi from 'joi';
import { count, id, listOf, nullableText, text, time } from './fields.js';

/** A server. `icon` is the platform's icon hash, `iconUrl` where the picture is. */
export interface Server {
  id: string;
  name: string;
  icon: string | null;
  iconUrl: string | null;
  description: string | null;
  memberCount: number;
}

/** Checks a Server. */
export const serverSchema = Joi.object<Server, true>({
  id: id('Server id'),
  name: text('Name'),
  icon: nullableText("Icon hash; the platform's CDN serves it at icons/<server id>/<hash>"),
  iconUrl: nullableText('Address of the icon; null where it has none'),
  description: nullableText('Description'),
  memberCount: count('Members (approximate); 0 where no source told how many'),
}).description('A server');

/** GET /api/servers. By id. */
export interface ServerList {
  servers: Server[];
}

/** Checks a ServerList. */
export const serverListSchema = Joi.object<ServerList, true>({
  servers: listOf(serverSchema, 'Every archived server, by id'),
});

/** A channel that holds threads. `type` is the platform's channel type; 15 is a forum. */
export interface Channel {
  id: string;
  name: string;
  type: number;
  topic: string | null;
  position: number;
  parentId: string | null;
  parentName: string | null;
}

/** Checks a Channel. */
export const channelSchema = Joi.object<Channel, true>({
  id: id('Channel id'),
  name: text('Name'),
  type: count('Channel type of the platform; 15 is a forum'),
  topic: nullableText('Description'),
  position: Joi.number().integer().required().description('Sort position within its category'),
  parentId: nullableText('Category id'),
  parentName: nullableText('Name of the category'),
}).description('A forum channel');

/** The channels of a server, by position, then id. */
export interface ChannelList {
  channels: Channel[];
}

/** Checks a ChannelList. */
export const channelListSchema = Joi.object<ChannelList, true>({
  channels: listOf(channelSchema, 'By position, then id'),
});

/** A tag that a forum offers. */
export interface Tag {
  id: string;
  name: string;
  emoji: string | null;
  channelId: string;
  channelName: string;
}

/** Checks a Tag. */
export const tagSchema = Joi.object<Tag, true>({
  id: id('Tag id'),
  name: text('Name'),
  emoji: nullableText('The emoji, or the name of a custom one, whose picture is not known'),
  channelId: id('Forum channel it belongs to'),
  channelName: text('Name of that channel'),
}).description('A tag that threads of a forum may carry');

/** The tags of a server, by channel position, then the forum's own order. */
export interface TagList {
  tags: Tag[];
}

/** Checks a TagList. */
export const tagListSchema = Joi.object<TagList, true>({
  tags: listOf(tagSchema, "By channel position, then the forum's own order"),
});

/** The statistics of a server. */
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

const counts = Joi.object<ServerStats['stats'], true>({
  threads: Joi.object<ServerStats['stats']['threads'], true>({
    total: count('All threads; a locked one counts only here'),
    open: count('Open threads'),
    resolved: count('Resolved threads'),
    archived: count('Archived threads'),
  })
    .required()
    .description('Threads by status'),
  messages: Joi.object<ServerStats['stats']['messages'], true>({
    total: count('All messages'),
    byHumans: count('Messages of people'),
    byBots: count('Messages of bots'),
    avgPerThread: Joi.number().min(0).required().description('Messages a thread (two decimals)'),
  })
    .required()
    .description('Messages by who wrote them'),
  participants: Joi.object<ServerStats['stats']['participants'], true>({
    unique: count('Everyone who wrote, without webhooks'),
    humans: count('People among them'),
    bots: count('Bots among them'),
  })
    .required()
    .description('Who wrote'),
  channels: count('Forum channels'),
  reactions: Joi.object<ServerStats['stats']['reactions'], true>({
    total: count('Reactions'),
    uniqueEmojis: count('Different emojis among them'),
  })
    .required()
    .description('Reactions to messages'),
});

/** Checks a ServerStats. */
export const serverStatsSchema = Joi.object<ServerStats, true>({
  serverId: id('Server id'),
  serverName: text('Name of the server'),
  stats: counts.required().description('Counts over the whole server'),
  topContributors: listOf(
    Joi.object<ServerStats['topContributors'][number], true>({
      userId: id('User id'),
      username: text('Account name'),
      messageCount: count('Messages they wrote'),
      threadCount: count('Threads they started'),
    }),
    'The 10 who wrote most: by messages, then threads, then id',
  ),
  mostActiveChannels: listOf(
    Joi.object<ServerStats['mostActiveChannels'][number], true>({
      channelId: id('Channel id'),
      channelName: text('Name of the channel'),
      threadCount: count('Threads'),
      messageCount: count('Messages'),
    }),
    'The 10 channels with most messages',
  ),
  lastSyncAt: time("When the newest of the server's content was read from its source"),
});
