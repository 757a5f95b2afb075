import type { Collections } from '../../../shared/store/collections.js';
import type { ChannelRecord, ServerRecord } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import { nextVersion } from '../stores/nextVersion.js';
import { storeBody, storeGone } from '../stores/bodyWriter.js';
import { clearMarks, dirtyMarks } from '../stores/dirtyMarks.js';
import {
  presentChannels,
  presentServer,
  presentStats,
  presentTags,
  type ServerCounts,
} from '../views/serverViews.js';
import { compareIds } from '../views/tallyPeople.js';

const BATCH = 20;

/** Counts the servers that are marked. Returns how many it did. */
export async function refreshServers(deps: IndexerDeps, by?: Date): Promise<number> {
  const { dirty } = deps.collections;
  const marks = await dirtyMarks(dirty, 'server', { limit: BATCH, by });
  if (marks.length === 0) return 0;
  await countServers(
    deps,
    marks.map(({ _id }) => _id.slice('server/'.length)),
  );
  await clearMarks(dirty, marks);
  return marks.length;
}

/** Writes some servers' bodies and statistics again. */
export async function countServers(
  { collections, announcer }: Pick<IndexerDeps, 'collections' | 'announcer'>,
  serverIds: string[],
): Promise<void> {
  const version = await nextVersion(collections.counters);
  for (const serverId of serverIds) await refreshServer(collections, serverId, version);
  await storeServerList(collections, version);
  announcer.announce({ servers: serverIds });
}

async function refreshServer(
  collections: Collections,
  serverId: string,
  version: number,
): Promise<void> {
  const server = await collections.servers.findOne({ _id: serverId });
  if (!server) return;
  if (server.deleted) {
    const bodies = ['server', 'channels', 'tags', 'stats'];
    await Promise.all(bodies.map((kind) => storeGone(collections, `${kind}/${serverId}`, version)));
    return;
  }
  const channels = await collections.channels.find({ serverId, deleted: { $ne: true } }).toArray();
  const stats = presentStats(server, channels, await countServer(collections, server, channels));
  await Promise.all([
    storeBody(collections, `server/${serverId}`, version, JSON.stringify(presentServer(server))),
    storeBody(
      collections,
      `channels/${serverId}`,
      version,
      JSON.stringify(presentChannels(channels)),
    ),
    storeBody(collections, `tags/${serverId}`, version, JSON.stringify(presentTags(channels))),
    storeBody(collections, `stats/${serverId}`, version, JSON.stringify(stats)),
  ]);
}

async function storeServerList(collections: Collections, version: number): Promise<void> {
  const servers = await collections.servers.find({ deleted: { $ne: true } }).toArray();
  const list = {
    servers: servers.sort((left, right) => compareIds(left._id, right._id)).map(presentServer),
  };
  await storeBody(collections, 'servers/all', version, JSON.stringify(list));
}

async function countServer(
  collections: Collections,
  server: ServerRecord,
  channels: ChannelRecord[],
): Promise<ServerCounts> {
  const serverId = server._id;
  const [byChannel, reactions, people, top, newest] = await Promise.all([
    countThreads(collections, serverId),
    countReactions(collections, serverId),
    collections.members
      .aggregate<{ isBot: boolean; count: number }>([
        { $match: { serverId } },
        { $group: { _id: '$isBot', count: { $sum: 1 } } },
        { $project: { _id: 0, isBot: '$_id', count: 1 } },
      ])
      .toArray(),
    collections.members.find({ serverId }).sort({ topKey: -1 }).limit(10).toArray(),
    collections.threads
      .find({ serverId }, { projection: { asOf: 1 } })
      .sort({ asOf: -1 })
      .limit(1)
      .next(),
  ]);
  return {
    byChannel,
    reactions,
    people,
    topContributors: top.map(({ userId, username, messages, threads }) => ({
      userId,
      username,
      messageCount: messages,
      threadCount: threads,
    })),
    lastSyncAt: new Date((newest?.asOf ?? latestStamp([server, ...channels])) / 1000),
  };
}

async function countThreads(
  { threadItems }: Collections,
  serverId: string,
): Promise<ServerCounts['byChannel']> {
  return threadItems
    .aggregate<ServerCounts['byChannel'][number]>([
      { $match: { serverId, 'facts.messages': { $gt: 0 } } },
      {
        $group: {
          _id: { channelId: '$channelId', status: '$facts.status' },
          threads: { $sum: 1 },
          messages: { $sum: '$facts.messages' },
          botMessages: { $sum: '$facts.botMessages' },
        },
      },
      {
        $replaceWith: {
          $mergeObjects: [
            '$_id',
            { threads: '$threads', messages: '$messages', botMessages: '$botMessages' },
          ],
        },
      },
    ])
    .toArray();
}

async function countReactions(
  { threadItems }: Collections,
  serverId: string,
): Promise<ServerCounts['reactions']> {
  const [counts] = await threadItems
    .aggregate<ServerCounts['reactions']>([
      { $match: { serverId } },
      { $unwind: '$facts.reactions' },
      { $group: { _id: '$facts.reactions.emoji', count: { $sum: '$facts.reactions.count' } } },
      { $group: { _id: null, total: { $sum: '$count' }, uniqueEmojis: { $sum: 1 } } },
      { $project: { _id: 0, total: 1, uniqueEmojis: 1 } },
    ])
    .toArray();
  return counts ?? { total: 0, uniqueEmojis: 0 };
}

/** When anything of a server without threads was last told. */
function latestStamp(records: { stamps: Record<string, number> }[]): number {
  return Math.max(0, ...records.flatMap(({ stamps }) => Object.values(stamps)));
}
