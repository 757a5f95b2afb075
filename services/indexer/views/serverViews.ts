import type {
  Channel,
  ChannelList,
  Server,
  ServerStats,
  TagList,
} from '../../../shared/contract/servers.js';
import type { ChannelRecord, ServerRecord } from '../../../shared/store/records.js';
import type { ServiceLinks } from './serviceLinks.js';
import { compareIds } from './tallyPeople.js';

/** A server as the API shows it. */
export function presentServer(server: ServerRecord, links: Pick<ServiceLinks, 'icon'>): Server {
  const { icon } = server;
  return {
    id: server._id,
    name: server.name,
    icon: icon ?? null,
    iconUrl: icon ? links.icon(server._id, icon) : null,
    description: server.description ?? null,
    memberCount: server.memberCount ?? 0,
  };
}

/** The list of a server's channels. */
export function presentChannels(channels: ChannelRecord[]): ChannelList {
  return { channels: sortChannels(channels).map(presentChannel) };
}

/** The list of the tags that a server's channels offer. */
export function presentTags(channels: ChannelRecord[]): TagList {
  return {
    tags: sortChannels(channels).flatMap((channel) =>
      (channel.availableTags ?? []).map(({ id, name, emoji }) => ({
        id,
        name,
        emoji,
        channelId: channel._id,
        channelName: channel.name,
      })),
    ),
  };
}

function sortChannels(channels: ChannelRecord[]): ChannelRecord[] {
  return [...channels].sort(
    (left, right) =>
      (left.position ?? 0) - (right.position ?? 0) || compareIds(left._id, right._id),
  );
}

function presentChannel(channel: ChannelRecord): Channel {
  return {
    id: channel._id,
    name: channel.name,
    type: channel.type ?? 15,
    topic: channel.topic ?? null,
    position: channel.position ?? 0,
    parentId: channel.parentId ?? null,
    parentName: channel.parentName ?? null,
  };
}

/**
 * What has been counted of a server: threads and messages by channel and status, people by whether they are bots, and
 * reactions.
 */
export interface ServerCounts {
  byChannel: {
    channelId: string;
    status: string;
    threads: number;
    messages: number;
    botMessages: number;
  }[];
  people: { isBot: boolean; count: number }[];
  reactions: { total: number; uniqueEmojis: number };
  topContributors: ServerStats['topContributors'];
  lastSyncAt: Date;
}

/** The statistics of a server. */
export function presentStats(
  server: ServerRecord,
  channels: ChannelRecord[],
  counts: ServerCounts,
): ServerStats {
  const threads = sum(counts.byChannel, (row) => row.threads);
  const messages = sum(counts.byChannel, (row) => row.messages);
  const byBots = sum(counts.byChannel, (row) => row.botMessages);
  const bots = sum(
    counts.people.filter((row) => row.isBot),
    (row) => row.count,
  );
  const humans = sum(
    counts.people.filter((row) => !row.isBot),
    (row) => row.count,
  );
  const withStatus = (status: string): number =>
    sum(
      counts.byChannel.filter((row) => row.status === status),
      (row) => row.threads,
    );
  return {
    serverId: server._id,
    serverName: server.name,
    stats: {
      threads: {
        total: threads,
        open: withStatus('open'),
        resolved: withStatus('resolved'),
        archived: withStatus('archived'),
      },
      messages: {
        total: messages,
        byHumans: messages - byBots,
        byBots,
        avgPerThread: threads === 0 ? 0 : Math.round((messages / threads) * 100) / 100,
      },
      participants: { unique: humans + bots, humans, bots },
      channels: channels.length,
      reactions: counts.reactions,
    },
    topContributors: counts.topContributors,
    mostActiveChannels: mostActiveChannels(channels, counts.byChannel),
    lastSyncAt: counts.lastSyncAt.toISOString(),
  };
}

/** The 10 channels with the most messages. Of two with as many messages, the one with the lower id comes first. */
function mostActiveChannels(
  channels: ChannelRecord[],
  rows: ServerCounts['byChannel'],
): ServerStats['mostActiveChannels'] {
  return channels
    .map((channel) => {
      const own = rows.filter((row) => row.channelId === channel._id);
      return {
        channelId: channel._id,
        channelName: channel.name,
        threadCount: sum(own, (row) => row.threads),
        messageCount: sum(own, (row) => row.messages),
      };
    })
    .filter((channel) => channel.threadCount > 0)
    .sort(
      (left, right) =>
        right.messageCount - left.messageCount || compareIds(left.channelId, right.channelId),
    )
    .slice(0, 10);
}

function sum<T>(rows: T[], value: (row: T) => number): number {
  return rows.reduce((total, row) => total + value(row), 0);
}
