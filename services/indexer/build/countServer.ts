import { SERVER_LIST, type BodyKind } from '../../../shared/store/bodyKinds.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { ServerRecord } from '../../../shared/store/records.js';
import { realMicros } from '../../../shared/store/sourceTime.js';
import type { IndexerDeps } from '../deps.js';
import { goneBodies, type BodyTexts } from '../stores/bodyWriter.js';
import {
  presentChannels,
  presentServer,
  presentStats,
  presentTags,
  type ServerCounts,
} from '../views/serverViews.js';
import { compareIds } from '../views/tallyPeople.js';

/**
 * What a server is counted from. `messages` are not a part of it: they still hold what was said by people who are left
 * out of the server, so nothing that is read may be counted from them. Views hold nothing of these people.
 */
type Countable = Omit<Collections, 'messages'>;

/**
 * The bodies of a server, with statistics that are counted now. All of them are gone where the server was deleted, or
 * has no record.
 */
export async function countServer(
  { collections, links }: { collections: Countable } & Pick<IndexerDeps, 'links'>,
  serverId: string,
): Promise<BodyTexts> {
  const server = await collections.servers.findOne({ _id: serverId });
  if (!server || server.deleted) return goneBodies('server', serverId);
  const channels = await collections.channels
    .find({ serverId, deleted: { $ne: true }, withheldAt: { $exists: false } })
    .toArray();
  const counts = await countAll(collections, server);
  const bodies: Record<BodyKind<'server'>, object> = {
    server: presentServer(server, links),
    channels: presentChannels(channels),
    tags: presentTags(channels),
    stats: presentStats(server, channels, counts),
  };
  return new Map(
    Object.entries(bodies).map(([kind, body]) => [`${kind}/${serverId}`, JSON.stringify(body)]),
  );
}

/** The body that lists all servers. */
export async function listAllServers({
  collections,
  links,
}: Pick<IndexerDeps, 'collections' | 'links'>): Promise<BodyTexts> {
  const shown = await collections.servers.find({ deleted: { $ne: true } }).toArray();
  const sorted = shown.sort((left, right) => compareIds(left._id, right._id));
  const servers = sorted.map((server) => presentServer(server, links));
  return new Map([[SERVER_LIST, JSON.stringify({ servers })]]);
}

async function countAll(collections: Countable, server: ServerRecord): Promise<ServerCounts> {
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
    lastSyncAt: new Date(realMicros(newest?.asOf || latestStamp(server)) / 1000),
  };
}

/** Counts the threads of a server. MongoDB reads an index alone, because a server may have millions of threads. */
async function countThreads(
  { threadItems }: Countable,
  serverId: string,
): Promise<ServerCounts['byChannel']> {
  return threadItems
    .aggregate<ServerCounts['byChannel'][number]>([
      { $match: { serverId } },
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
  { threadItems }: Countable,
  serverId: string,
): Promise<ServerCounts['reactions']> {
  const [counts] = await threadItems
    .aggregate<ServerCounts['reactions']>([
      // An index holds the threads with reactions, which are few.
      { $match: { serverId, 'facts.reactions.0': { $exists: true } } },
      { $unwind: '$facts.reactions' },
      { $group: { _id: '$facts.reactions.emoji', count: { $sum: '$facts.reactions.count' } } },
      { $group: { _id: null, total: { $sum: '$count' }, uniqueEmojis: { $sum: 1 } } },
      { $project: { _id: 0, total: 1, uniqueEmojis: 1 } },
    ])
    .toArray();
  return counts ?? { total: 0, uniqueEmojis: 0 };
}

/** The latest time (a stamp) at which a source told anything of a server; 0 where none did. */
function latestStamp({ stamps }: ServerRecord): number {
  return Math.max(0, ...Object.values(stamps));
}
