import { gzipSync } from 'node:zlib';
import { Binary } from 'mongodb';
import { snowflakeTime } from '../shared/exportFormat/snowflake.js';
import type { ChannelRecord, MessageRecord, ThreadRecord } from '../shared/store/records.js';
import { documentIdOf, searchAlias, type SearchDocument } from '../shared/store/searchIndex.js';
import { ALL_SERVERS } from '../shared/store/bodyKinds.js';
import type { BodyView } from '../shared/store/views.js';
import { RENDERER_VERSION } from '../services/indexer/content/renderContent.js';
import type { IndexerDeps } from '../services/indexer/deps.js';
import { etagOf } from '../services/indexer/stores/entityTag.js';
import { setMarks } from '../services/indexer/work/claims.js';
import { runDue } from '../services/indexer/work/runMarks.js';
import { foldThread } from '../services/indexer/views/foldThread.js';
import { aChannel, aMessage, anAuthor, aServer, aThread } from '../test/support/factories.js';
import { randomOf, type Random } from '../test/support/generateRecords.js';
import { textOf, zipf } from './searchArchive.js';

const PEOPLE = 5_000;
const BATCH = 1_000;
const FIRST_ID = 1_100_000_000_000_000_000n;
/** Snowflakes of about a minute. */
const STEP = 250_000_000_000n;

/** Fills an archive with threads of `messages` messages on average: records and views, many at once. */
export async function fillArchive(
  deps: IndexerDeps,
  size: { threads: number; messages: number },
): Promise<void> {
  const { servers, channels, users, threads, messages } = deps.collections;
  const random = randomOf(1);
  const rank = zipf(random);
  const text = (words: number) => textOf(Array.from({ length: words }, rank));
  const server = aServer();
  const channel = aChannel({ serverId: server._id });
  const people = Array.from({ length: PEOPLE }, (_, n) => anAuthor(`person${n}`));
  await servers.insertOne(server);
  await channels.insertOne(channel);
  await users.insertMany(people.map(({ id: _id, ...snapshot }) => ({ _id, ...snapshot, asOf: 1 })));
  for (let start = 0; start < size.threads; start += BATCH) {
    const some = Array.from({ length: Math.min(BATCH, size.threads - start) }, (_, n) => {
      const _id = String(FIRST_ID + BigInt(start + n) * STEP);
      const place = { serverId: server._id, channelId: channel._id };
      const thread = aThread({ _id, ...place, title: text(6) });
      return { thread, said: someMessages(_id, size.messages, random, people, text) };
    });
    await threads.insertMany(some.map(({ thread }) => thread));
    await messages.insertMany(some.flatMap(({ said }) => said));
    await storeViews(deps, some, channel);
  }
  await setMarks(
    deps,
    'person',
    people.map(({ id }) => id),
  );
  await setMarks(deps, 'server', [server._id, ALL_SERVERS]);
  while ((await runDue(deps)) === true) continue;
}

function someMessages(
  threadId: string,
  average: number,
  random: Random,
  people: MessageRecord['author'][],
  text: (words: number) => string,
): MessageRecord[] {
  // In real forums two to eight people talk in a thread.
  const cast = Array.from({ length: 2 + random.below(7) }, () => people[random.below(PEOPLE)]!);
  return Array.from({ length: 1 + random.below(2 * average - 1) }, (_, n) => {
    const _id = String(BigInt(threadId) + BigInt(n) * (STEP / 10_000n));
    const createdAt = new Date(snowflakeTime(_id));
    const author = cast[random.below(cast.length)]!;
    return aMessage({ _id, threadId, createdAt, author, content: text(5 + random.below(40)) });
  });
}

interface Conversation {
  thread: ThreadRecord;
  said: MessageRecord[];
}

/** What the indexer would store of some threads; each is said to be similar to those after it, without a search. */
async function storeViews(
  { collections, elasticsearch, namespace, resolvedTags }: IndexerDeps,
  some: Conversation[],
  channel: ChannelRecord,
): Promise<void> {
  const views = some.map((one) => viewsOf(one, channel, resolvedTags));
  const items = views.map(({ item }) => item);
  const similar = items.map(({ _id }, n) => ({
    _id,
    version: 1,
    others: items.slice(n + 1, n + 11),
  }));
  const ofSimilar = similar.map(({ _id, others }) => {
    const shown = others.map(({ item }) => item).join(',');
    return bodyOf(`similar/${_id}`, `{"threadId":"${_id}","threads":[${shown}]}`);
  });
  await Promise.all([
    collections.bodies.insertMany([...views.flatMap(({ bodies }) => bodies), ...ofSimilar]),
    collections.threadItems.insertMany(items),
    collections.contributions.insertMany(views.flatMap(({ contributions }) => contributions)),
    collections.similar.insertMany(
      similar.map(({ others, ...view }) => ({ ...view, similarTo: others.map(({ _id }) => _id) })),
    ),
    elasticsearch.bulk({
      index: searchAlias(namespace),
      body: views.flatMap(({ documents }) => documents.map(bulkLines)).join(''),
    }),
  ]);
}

function viewsOf(
  { thread, said }: Conversation,
  channel: ChannelRecord,
  resolvedTags: ReadonlySet<string>,
) {
  const model = { thread, version: 1, channel, first: said[0]!, ownersMessage: null, resolvedTags };
  const fold = foldThread(model);
  const folded = fold.add(said, { ids: [], targets: new Map() });
  const views = fold.end();
  const text = fold.opening + folded.bodyText() + views.closing;
  const documents: SearchDocument[] = [...folded.documents, views.document];
  return {
    ...views,
    documents,
    bodies: [
      bodyOf(`thread/${thread._id}`, text),
      bodyOf(`participants/${thread._id}`, views.participants),
    ],
  };
}

function bodyOf(_id: string, text: string): BodyView {
  const gzip = new Binary(gzipSync(text));
  const length = Buffer.byteLength(text);
  return { _id, revision: 1, renderer: RENDERER_VERSION, etag: etagOf(text), length, gzip };
}

function bulkLines(document: SearchDocument): string {
  const line = { index: { _id: documentIdOf(document), version: 1, version_type: 'external' } };
  return `${JSON.stringify(line)}\n${JSON.stringify(document)}\n`;
}
