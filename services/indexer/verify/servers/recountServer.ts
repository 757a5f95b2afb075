import type { Collections } from '../../../../shared/store/collections.js';
import type { ChannelRecord, ServerRecord } from '../../../../shared/store/records.js';
import type { MemberView } from '../../../../shared/store/views.js';
import { compareIds } from '../../views/tallyPeople.js';
import type { ServerCounts } from '../../views/serverViews.js';

const TOP = 10;

/** Counts a server from the facts of its list items and its members' rows, apart from how statistics are counted. */
export async function recountServer(
  collections: Collections,
  server: ServerRecord,
  channels: ChannelRecord[],
): Promise<ServerCounts> {
  const serverId = server._id;
  const threads = await countThreads(collections, serverId);
  const people = await countPeople(collections, serverId);
  const [newest] = await collections.threads
    .find({ serverId }, { projection: { asOf: 1 } })
    .sort({ asOf: -1 })
    .limit(1)
    .toArray();
  const stamps = [server, ...channels].flatMap((record) => Object.values(record.stamps));
  const asOf = newest?.asOf ?? stamps.reduce((latest, at) => Math.max(latest, at), 0);
  return { ...threads, ...people, lastSyncAt: new Date(asOf / 1000) };
}

async function countThreads(
  { threadItems }: Collections,
  serverId: string,
): Promise<Pick<ServerCounts, 'byChannel' | 'reactions'>> {
  const rows = new Map<string, ServerCounts['byChannel'][number]>();
  const emojis = new Set<string>();
  let total = 0;
  const items = threadItems
    .find({ serverId }, { projection: { channelId: 1, facts: 1 } })
    .batchSize(2_000);
  for await (const { channelId, facts } of items) {
    for (const { emoji, count } of facts.reactions) {
      emojis.add(emoji);
      total += count;
    }
    if (facts.messages === 0) continue;
    const { status } = facts;
    const key = `${channelId}/${status}`;
    const row = rows.get(key) ?? { channelId, status, threads: 0, messages: 0, botMessages: 0 };
    row.threads += 1;
    row.messages += facts.messages;
    row.botMessages += facts.botMessages;
    rows.set(key, row);
  }
  return { byChannel: [...rows.values()], reactions: { total, uniqueEmojis: emojis.size } };
}

async function countPeople(
  { members }: Collections,
  serverId: string,
): Promise<Pick<ServerCounts, 'people' | 'topContributors'>> {
  const kinds = { bots: 0, humans: 0 };
  let top: Row[] = [];
  const rows = members
    .find({ serverId })
    .project<Row>({ userId: 1, username: 1, isBot: 1, messages: 1, threads: 1 })
    .batchSize(2_000);
  for await (const row of rows) {
    kinds[row.isBot ? 'bots' : 'humans'] += 1;
    top.push(row);
    if (top.length > TOP * 10) top = topOf(top);
  }
  return {
    people: [
      { isBot: true, count: kinds.bots },
      { isBot: false, count: kinds.humans },
    ],
    topContributors: topOf(top).map(({ userId, username, messages, threads }) => ({
      ...{ userId, username },
      ...{ messageCount: messages, threadCount: threads },
    })),
  };
}

type Row = Pick<MemberView, 'userId' | 'username' | 'isBot' | 'messages' | 'threads'>;

function topOf(rows: Row[]): Row[] {
  return rows
    .sort(
      (left, right) =>
        right.messages - left.messages ||
        right.threads - left.threads ||
        compareIds(left.userId, right.userId),
    )
    .slice(0, TOP);
}
