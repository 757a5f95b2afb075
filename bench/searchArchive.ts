/** A generated archive to measure search. It comes from a seed, and its words follow Zipf's law. */
import type { Client } from '@elastic/elasticsearch';
import type { ThreadStatus } from '../shared/contract/threads.js';
import { idKey } from '../shared/store/listKeys.js';
import {
  documentId,
  hashConversation,
  searchAlias,
  searchIndexName,
  stretchesOf,
  type MessageDocument,
  type ThreadDocument,
} from '../shared/store/searchIndex.js';
import { searchIndexDefinition } from '../shared/store/searchMapping.js';
import { startApi, type ApiServer } from '../test/support/apiServer.js';
import { randomOf } from '../test/support/generateRecords.js';
import { removeSearchAndKeys } from '../test/support/stores.js';
import { textOf, zipf } from './archive/words.js';

const MESSAGES_A_THREAD = 20;
const BULK_CHARACTERS = 4_000_000;

/**
 * Starts an API without a cache and without limits over an archive of about so many messages. Calls `work` with it, and
 * with the words of some messages, by rank. With `keep`, the archive is the one in the index with this name, or is
 * stored there, and stays. Otherwise it is removed in the end.
 */
export async function withSearchArchive(
  { messages, keep }: { messages: number; keep: string | undefined },
  work: (api: ApiServer, samples: number[][]) => Promise<void>,
): Promise<void> {
  const api = await startApi({ env: { CACHE_MEGABYTES: '0', RATE_LIMIT_DISABLED: 'true' } });
  const { elasticsearch, mongo } = api.stores;
  const index = keep ?? searchIndexName(mongo.namespace, 1);
  const alias = { index, name: searchAlias(mongo.namespace) };
  try {
    const samples = await openArchive(elasticsearch, index, messages);
    await elasticsearch.indices.putAlias(alias);
    const { count } = await elasticsearch.count({ index });
    console.log(`${count} documents`);
    await work(api, samples);
  } finally {
    await elasticsearch.indices.deleteAlias(alias, { ignore: [404] });
    await removeSearchAndKeys(api.stores);
    await api.close();
  }
}

/** Makes sure that an index holds the archive. Resolves with the words of some of its messages, by rank. */
async function openArchive(client: Client, index: string, messages: number): Promise<number[][]> {
  if (await client.indices.exists({ index })) return generate(messages, () => Promise.resolve());
  await client.indices.create({ index, ...searchIndexDefinition });
  const began = performance.now();
  const samples = await generate(messages, (lines) => send(client, index, lines));
  await client.indices.refresh({ index });
  console.log(`Stored in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  return samples;
}

async function generate(
  messages: number,
  store: (lines: string) => Promise<void>,
): Promise<number[][]> {
  const random = randomOf(1);
  const rank = zipf(random);
  const ranks = (count: number): number[] => Array.from({ length: count }, rank);
  const samples: number[][] = [];
  let lines = '';
  let sending = Promise.resolve();
  for (let left = messages, n = 0; left > 0; n += 1) {
    const length = Math.min(left, 1 + random.below(2 * MESSAGES_A_THREAD - 1));
    const contents = Array.from({ length }, () => ranks(5 + random.below(40)));
    if (n % 40 === 0) samples.push(contents[0]!);
    lines += bulkLines(n, textOf(ranks(4 + random.below(6))), contents.map(textOf));
    left -= length;
    if (lines.length < BULK_CHARACTERS && left > 0) continue;
    // While one request is sent, the next one is made.
    await sending;
    sending = store(lines);
    lines = '';
  }
  await sending;
  return samples;
}

async function send(client: Client, index: string, body: string): Promise<void> {
  const { errors, items } = await client.bulk({ index, body });
  if (errors) throw new Error(`Documents were refused: ${JSON.stringify(items[0])}`);
}

function bulkLines(n: number, title: string, contents: string[]): string {
  const startedAt = Date.UTC(2020, 0, 1) + n * 60_000;
  const threadId = String(1_000_000_000_000_000_000n + BigInt(n) * 1_000n);
  const shared = {
    threadId,
    title,
    serverId: '1',
    channelId: String(n % 20),
    channelName: 'help',
    tagKeys: [],
    authorId: '3',
    authorUsername: 'ada',
    authorDisplayName: 'Ada',
    hasAttachment: false,
    status: 'open' as ThreadStatus,
  };
  const stretches = stretchesOf({ title, tags: [] }, contents);
  const thread: ThreadDocument = {
    ...shared,
    kind: 'thread',
    createdAt: timeOf(startedAt),
    idKey: idKey(threadId),
    slug: 'thread',
    tags: [],
    preview: contents[0]!.slice(0, 200),
    messageCount: contents.length,
    heading: title,
    stretches,
    conversationHash: hashConversation(stretches),
  };
  const said = contents.map((content, i): MessageDocument => {
    const messageId = String(BigInt(threadId) + BigInt(i));
    // Each message has a time of its own, as nearly all real messages have.
    const createdAt = timeOf(startedAt + i * 1_009);
    return { ...shared, kind: 'message', createdAt, idKey: idKey(messageId), messageId, content };
  });
  const line = (_id: string, document: object): string =>
    `{"index":{"_id":"${_id}"}}\n${JSON.stringify(document)}\n`;
  return (
    line(documentId('thread', threadId), thread) +
    said.map((message) => line(documentId('message', message.messageId), message)).join('')
  );
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
