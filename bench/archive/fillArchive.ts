import type { Client } from '@elastic/elasticsearch';
import type { Collections } from '../../shared/store/collections.js';
import { ensureIndexes } from '../../shared/store/indexes.js';
import { documentIdOf, searchAlias, type SearchDocument } from '../../shared/store/searchIndex.js';
import type { BodyView, SimilarView } from '../../shared/store/views.js';
import { countMembers } from '../../services/indexer/build/countMembers.js';
import { countProfiles } from '../../services/indexer/build/countProfiles.js';
import { countServer, listAllServers } from '../../services/indexer/build/countServer.js';
import { addUpPeople } from '../../services/indexer/build/addUpPeople.js';
import { everybody } from '../../services/indexer/build/people.js';
import { encodeBody, type BodyTexts } from '../../services/indexer/stores/bodyWriter.js';
import { foldThread, type ThreadViews } from '../../services/indexer/views/foldThread.js';
import { createServiceLinks } from '../../services/indexer/views/serviceLinks.js';
import { dayOf } from '../../services/indexer/views/tallyPeople.js';
import { parseResolvedTags } from '../../services/indexer/views/threadModel.js';
import { collectReferences } from '../../services/indexer/content/collectReferences.js';
import { generatePlaces, generateThreads, type GeneratedThread } from './generateThreads.js';

/** Is told how many more messages were stored. */
export type OnStored = (messages: number) => void;

const BATCH_THREADS = 500;
const VERSION = 1;
const LINKS = createServiceLinks({ publicUrl: 'https://archive.example', cdnUrl: null });
const RESOLVED_TAGS = parseResolvedTags('solved,resolved,answered');

/**
 * Stores the records and views of a generated archive with so many messages in an empty database. It builds views with
 * the code of the indexer, many at once, and leaves no work to be done.
 */
export async function fillViews(
  collections: Collections,
  messages: number,
  onStored: OnStored,
): Promise<void> {
  const { servers, channels } = generatePlaces();
  await collections.servers.insertMany(servers);
  await collections.channels.insertMany(channels);
  await inBatches(messages, onStored, (batch) => storeThreads(collections, batch));
  // An index is built faster after the documents are there. Counting the totals needs some of the indexes.
  await ensureIndexes(collections);
  for await (const people of everybody(collections)) await storePeople(collections, people);
  for (const { _id } of servers)
    await storeBodies(collections, await countServer({ collections, links: LINKS }, _id));
  await storeBodies(collections, await listAllServers({ collections, links: LINKS }));
}

/** Stores the search documents of the same archive in the index behind the alias of a database. */
export async function fillSearch(
  client: Client,
  namespace: string,
  messages: number,
  onStored: OnStored,
): Promise<void> {
  const index = searchAlias(namespace);
  await inBatches(messages, onStored, async (batch) => {
    const documents = batch.flatMap((one) => threadViews(one).documents);
    const { errors, items } = await client.bulk({ index, body: documents.map(bulkLines).join('') });
    if (errors) throw new Error(`Search documents were refused: ${JSON.stringify(items[0])}`);
  });
  await client.indices.refresh({ index });
}

/** Stores items in batches. While one batch is stored, the next one is generated. */
async function inBatches(
  messages: number,
  onStored: OnStored,
  store: (batch: GeneratedThread[]) => Promise<void>,
): Promise<void> {
  let storing = Promise.resolve();
  const send = async (batch: GeneratedThread[]): Promise<void> => {
    await storing;
    storing = store(batch).then(() =>
      onStored(batch.reduce((sum, { messages: said }) => sum + said.length, 0)),
    );
    // A failure is thrown by the next call. Until then, its rejection must not end the process.
    storing.catch(() => undefined);
  };
  let batch: GeneratedThread[] = [];
  for (const thread of generateThreads(messages)) {
    batch.push(thread);
    if (batch.length < BATCH_THREADS) continue;
    await send(batch);
    batch = [];
  }
  if (batch.length > 0) await send(batch);
  await storing;
}

async function storeThreads(collections: Collections, batch: GeneratedThread[]): Promise<void> {
  const made = batch.map(threadViews);
  const similar = made.map((one) => similarTo(one, made));
  await Promise.all([
    collections.threads.insertMany(batch.map(({ thread }) => thread)),
    collections.messages.insertMany(batch.flatMap(({ messages }) => messages)),
    collections.threadItems.insertMany(made.map(({ item }) => item)),
    collections.contributions.insertMany(made.flatMap(({ contributions }) => contributions)),
    collections.similar.insertMany(similar.map(({ view }) => view)),
    collections.bodies.insertMany([
      ...made.flatMap(({ bodies }) => bodies),
      ...similar.map(({ body }) => body),
    ]),
  ]);
}

/** Everything that the indexer stores of a thread. */
export interface StoredThread extends ThreadViews {
  documents: SearchDocument[];
  /** They are rendered and compressed when they are first read. */
  readonly bodies: BodyView[];
}

/** Makes everything that the indexer would store of a generated thread. */
export function threadViews({ thread, channel, messages, linked }: GeneratedThread): StoredThread {
  const settings = { resolvedTags: RESOLVED_TAGS, links: LINKS };
  const model = { thread, channel, version: VERSION, ...settings };
  const first = messages[0]!;
  const fold = foldThread({ ...model, first, starting: first });
  const ids = messages.flatMap(({ content }) => collectReferences(content));
  const targets = new Map(
    Array.from(linked, ([id, name]) => [id, { kind: 'thread' as const, name }]),
  );
  const folded = fold.add(messages, { ids: [...new Set(ids)], targets });
  const views = fold.end();
  return {
    ...views,
    documents: [...folded.documents, views.document],
    get bodies() {
      const text = fold.opening + folded.bodyText() + views.closing;
      return [
        encodeBody(`thread/${thread._id}`, VERSION, text),
        encodeBody(`participants/${thread._id}`, VERSION, views.participants),
      ];
    },
  };
}

/**
 * Threads of the same server, in place of similar ones. For a read, it makes no difference what they have in common.
 */
function similarTo(
  { item: { _id, serverId } }: StoredThread,
  batch: StoredThread[],
): { view: SimilarView; body: BodyView } {
  const others = batch
    .filter(({ item }) => item.serverId === serverId && item._id !== _id)
    .slice(0, 10)
    .map(({ item }) => item);
  const shown = others.map(({ item }) => item).join(',');
  return {
    view: { _id, version: VERSION, similarTo: others.map((other) => other._id) },
    body: encodeBody(`similar/${_id}`, VERSION, `{"threadId":"${_id}","threads":[${shown}]}`),
  };
}

async function storePeople(collections: Collections, userIds: string[]): Promise<void> {
  const at = { version: VERSION, today: dayOf(new Date()) };
  const deps = { collections, links: LINKS };
  const sums = await addUpPeople(collections, { userId: { $in: userIds } }, at.today);
  const { members, ranks } = countMembers(deps, sums, at);
  if (members.length > 0) await collections.members.insertMany(members);
  if (ranks.length > 0) await collections.ranks.insertMany(ranks);
  await storeBodies(collections, await countProfiles(deps, userIds, members, sums.appearances));
}

async function storeBodies({ bodies }: Collections, texts: BodyTexts | null): Promise<void> {
  const made = Array.from(texts ?? [], ([name, text]) =>
    text === null ? [] : [encodeBody(name, VERSION, text)],
  ).flat();
  if (made.length > 0) await bodies.insertMany(made);
}

function bulkLines(document: SearchDocument): string {
  const line = {
    index: { _id: documentIdOf(document), version: VERSION, version_type: 'external' },
  };
  return `${JSON.stringify(line)}\n${JSON.stringify(document)}\n`;
}
