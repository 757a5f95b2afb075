import type { Filter } from 'mongodb';
import { SERVER_LIST, type BodyKind } from '../../../shared/store/bodyKinds.js';
import type { Collections } from '../../../shared/store/collections.js';
import { THREAD_COUNTS, THREAD_REACTIONS } from '../../../shared/store/indexes.js';
import type { ServerRecord } from '../../../shared/store/records.js';
import { LAST_EXPORT, realMicros } from '../../../shared/store/sourceTime.js';
import type { ThreadItemView } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../deps.js';
import { within, type IdWindow } from '../records/idWindow.js';
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

/** How many threads one call counts. A server may have millions of them, and each call must end in time. */
const COUNTED_AT_ONCE = 500_000;

/**
 * The bodies of a server, with statistics that are counted now. All of them are gone where the server was deleted, or
 * has no record.
 */
export async function countServer(
  { collections, links }: { collections: Countable } & Pick<IndexerDeps, 'links'>,
  serverId: string,
  most = COUNTED_AT_ONCE,
): Promise<BodyTexts> {
  const server = await collections.servers.findOne({ _id: serverId });
  if (!server || server.deleted) return goneBodies('server', serverId);
  const channels = await collections.channels
    .find({ serverId, deleted: { $ne: true }, withheldAt: { $exists: false } })
    .toArray();
  const counts = await countAll(collections, server, most);
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

async function countAll(
  collections: Countable,
  server: ServerRecord,
  most: number,
): Promise<ServerCounts> {
  const serverId = server._id;
  const [counted, people, top, newest] = await Promise.all([
    countThreads(collections, serverId, most),
    collections.members
      .aggregate<{ isBot: boolean; count: number }>([
        { $match: { serverId } },
        { $group: { _id: '$isBot', count: { $sum: 1 } } },
        { $project: { _id: 0, isBot: '$_id', count: 1 } },
      ])
      .toArray(),
    collections.members.find({ serverId }).sort({ topKey: -1 }).limit(10).toArray(),
    newestThread(collections, serverId),
  ]);
  return {
    ...counted,
    people,
    topContributors: top.map(({ userId, username, messages, threads }) => ({
      userId,
      username,
      messageCount: messages,
      threadCount: threads,
    })),
    lastSyncAt: new Date((newest || latestStamp(server)) / 1000),
  };
}

/**
 * When the newest source of a server's threads was read (microseconds since the epoch); 0 where no thread has a source.
 * The times of live data are raised above those of all exports. So the newest of each are compared by the actual time.
 */
async function newestThread({ threads }: Countable, serverId: string): Promise<number> {
  const times = [{}, { asOf: { $lte: LAST_EXPORT } }].map(async (range) => {
    const found = threads.find({ serverId, ...range }, { projection: { asOf: 1 } });
    const newest = await found.sort({ asOf: -1 }).limit(1).next();
    return realMicros(newest?.asOf ?? 0);
  });
  return Math.max(...(await Promise.all(times)));
}

/** Counts the threads of a server, at most `most` of them by one call. */
async function countThreads(
  { threadItems }: Countable,
  serverId: string,
  most: number,
): Promise<Pick<ServerCounts, 'byChannel' | 'reactions'>> {
  const byChannel: ServerCounts['byChannel'] = [];
  const emojis = new Map<string, number>();
  for await (const window of threadWindows(threadItems, serverId, most)) {
    const which = { serverId, _id: within(window) };
    const [rows, reactions] = await Promise.all([
      countByChannel(threadItems, which),
      countReactions(threadItems, which),
    ]);
    byChannel.push(...rows);
    for (const { _id, count } of reactions) emojis.set(_id, (emojis.get(_id) ?? 0) + count);
  }
  const total = [...emojis.values()].reduce((sum, count) => sum + count, 0);
  return { byChannel, reactions: { total, uniqueEmojis: emojis.size } };
}

/** Windows that together hold all threads of a server, each at most `most` of them. */
async function* threadWindows(
  threadItems: Countable['threadItems'],
  serverId: string,
  most: number,
): AsyncGenerator<IdWindow> {
  for (let after = ''; ;) {
    const last = await threadItems
      .find({ serverId, _id: { $gt: after } }, { projection: { _id: 1 }, hint: THREAD_COUNTS })
      .sort({ _id: 1 })
      .skip(most - 1)
      .limit(1)
      .next();
    if (!last) {
      yield { after };
      return;
    }
    yield { after, upTo: last._id };
    after = last._id;
  }
}

/** Counts threads by channel and status. MongoDB reads an index alone. */
async function countByChannel(
  threadItems: Countable['threadItems'],
  which: Filter<ThreadItemView>,
): Promise<ServerCounts['byChannel']> {
  return threadItems
    .aggregate<ServerCounts['byChannel'][number]>(
      [
        { $match: which },
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
      ],
      { hint: THREAD_COUNTS },
    )
    .toArray();
}

/** Counts the reactions of threads by emoji. An index holds the threads that have any, which are few. */
async function countReactions(
  threadItems: Countable['threadItems'],
  which: Filter<ThreadItemView>,
): Promise<{ _id: string; count: number }[]> {
  return threadItems
    .aggregate<{ _id: string; count: number }>(
      [
        { $match: { ...which, 'facts.reactions.0': { $exists: true } } },
        { $unwind: '$facts.reactions' },
        { $group: { _id: '$facts.reactions.emoji', count: { $sum: '$facts.reactions.count' } } },
      ],
      { hint: THREAD_REACTIONS },
    )
    .toArray();
}

/** The latest time (microseconds since the epoch) at which a source told anything of a server; 0 where none did. */
function latestStamp({ stamps }: ServerRecord): number {
  return Math.max(0, ...Object.values(stamps).map(realMicros));
}
