import { randomBytes } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import type { SearchParams, SearchResponse } from '../../shared/contract/search.js';
import type { Asker } from '../../services/api/asker.js';
import { searchArchive } from './searchArchive.js';
import { Turns } from '../../services/api/turns.js';
import type { ThreadStatus } from '../../shared/contract/threads.js';
import { foldTag, idKey } from '../../shared/store/listKeys.js';
import {
  documentId,
  ensureSearchIndex,
  hashConversation,
  stretchesOf,
  searchAlias,
  searchIndexName,
  type MessageDocument,
  type SearchDocument,
  type ThreadDocument,
} from '../../shared/store/searchIndex.js';
import { patientElasticsearch } from './patientElasticsearch.js';

/** A message for the search index: its content, or further fields. */
export interface MessageSketch {
  content: string;
  authorId?: string;
  createdAt?: string;
  hasAttachment?: boolean;
}

/** A thread for the search index. Missing fields are filled in. */
export interface ThreadSketch {
  title: string;
  messages?: (string | MessageSketch)[];
  id?: string;
  serverId?: string;
  channelId?: string;
  tags?: string[];
  status?: ThreadStatus;
  authorId?: string;
  createdAt?: string;
}

let lastId = 1_200_000_000_000_000_000n;

/** A new id that is higher than all before. */
export function nextId(): string {
  lastId += 1_000n;
  return String(lastId);
}

/** The search documents of a thread: its own, then one for each message. The first message shares the thread's id. */
export function aThread(sketch: ThreadSketch): [ThreadDocument, ...MessageDocument[]] {
  const threadId = sketch.id ?? nextId();
  const createdAt = sketch.createdAt ?? '2024-05-01T10:00:00.000Z';
  const sketches = (sketch.messages ?? []).map((message) =>
    typeof message === 'string' ? { content: message } : message,
  );
  const shared = {
    threadId,
    serverId: sketch.serverId ?? '100000000000000001',
    channelId: sketch.channelId ?? '200000000000000001',
    channelName: 'help',
    title: sketch.title,
    status: sketch.status ?? 'open',
    tagKeys: (sketch.tags ?? []).map(foldTag),
    authorUsername: 'ada',
    authorDisplayName: 'Ada',
  };
  const messages = sketches.map((message, index): MessageDocument => {
    const messageId = index === 0 ? threadId : nextId();
    return {
      ...shared,
      kind: 'message',
      idKey: idKey(messageId),
      messageId,
      content: message.content,
      authorId: message.authorId ?? '300000000000000001',
      createdAt: message.createdAt ?? createdAt,
      hasAttachment: message.hasAttachment ?? false,
    };
  });
  const tags = sketch.tags ?? [];
  const stretches = stretchesOf(
    { title: sketch.title, tags },
    sketches.map(({ content }) => content),
  );
  const thread: ThreadDocument = {
    ...shared,
    kind: 'thread',
    idKey: idKey(threadId),
    slug: 'thread',
    preview: sketches[0]?.content.slice(0, 200) ?? '',
    tags,
    messageCount: messages.length,
    heading: sketch.title,
    stretches,
    conversationHash: hashConversation(stretches),
    authorId: sketch.authorId ?? '300000000000000001',
    createdAt,
    hasAttachment: messages.some(({ hasAttachment }) => hasAttachment),
  };
  return [thread, ...messages];
}

/** An asker without limits. */
export const UNLIMITED: Asker = { name: 'test', affords: () => true, charge: () => undefined };

/** A search index of the test's own, in the real Elasticsearch. */
export interface SearchFixture {
  elasticsearch: Client;
  namespace: string;
  /** Stores documents. When it resolves, search finds them. */
  store(documents: readonly SearchDocument[]): Promise<void>;
  search(q: string, more?: Partial<SearchParams>): Promise<SearchResponse>;
  remove(): Promise<void>;
}

/** The parameters of a search, with every default filled in. */
export function searchParams(q: string, more: Partial<SearchParams> = {}): SearchParams {
  return { q, type: 'all', limit: 20, offset: 0, minScore: 0.5, status: 'all', ...more };
}

/** Creates an index with a random name in ELASTICSEARCH_URL. */
export async function createSearchFixture(): Promise<SearchFixture> {
  const elasticsearch = patientElasticsearch();
  const namespace = `test-${randomBytes(6).toString('hex')}`;
  await ensureSearchIndex(elasticsearch, namespace);
  const deps = { elasticsearch, namespace, turns: new Turns() };
  return {
    elasticsearch,
    namespace,
    store: (documents) => storeDocuments(elasticsearch, namespace, documents),
    search: (q, more) => searchArchive(deps, searchParams(q, more), UNLIMITED),
    remove: async () => {
      await elasticsearch.indices.delete({ index: searchIndexName(namespace, 1) });
      await elasticsearch.close();
    },
  };
}

/**
 * A search index for the suite that calls this, with these documents from the beginning. It is removed after the last
 * test. Before the first test, the object has no properties.
 */
export function searchSuite(...documents: readonly SearchDocument[]): SearchFixture {
  const fixture = {} as SearchFixture;
  before(async () => {
    Object.assign(fixture, await createSearchFixture());
    if (documents.length > 0) await fixture.store(documents);
  });
  after(() => fixture.remove());
  return fixture;
}

/** Stores documents in an archive's index. When it resolves, search finds them. */
export async function storeDocuments(
  elasticsearch: Client,
  namespace: string,
  documents: readonly SearchDocument[],
): Promise<void> {
  const { errors, items } = await elasticsearch.bulk({
    index: searchAlias(namespace),
    refresh: true,
    operations: documents.flatMap((document) => [{ index: { _id: idOf(document) } }, document]),
  });
  if (errors) throw new Error(`Documents were refused: ${JSON.stringify(items).slice(0, 2_000)}`);
}

function idOf(document: SearchDocument): string {
  return document.kind === 'message'
    ? documentId('message', document.messageId)
    : documentId('thread', document.threadId);
}
