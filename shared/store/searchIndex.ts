import { createHash } from 'node:crypto';
import type { Client, TransportRequestOptions } from '@elastic/elasticsearch';
import type { ThreadStatus } from '../contract/threads.js';
import { errors } from '../drivers/elasticsearch.js';
import { MAPPING_VERSION, searchIndexDefinition } from './searchMapping.js';
import { textsWithin } from './textsWithin.js';

/** Fields of both kinds of search documents: all that is needed to filter, sort and show a result. */
interface SearchFields {
  /** The idKey of the thread's or message's id. It decides between equal results. */
  idKey: string;
  threadId: string;
  serverId: string;
  channelId: string;
  channelName: string;
  /** The thread's title. Documents of messages have it, too. */
  title: string;
  /** The thread's status. */
  status: ThreadStatus;
  /** The thread's tags, folded by foldTag, for the filter. */
  tagKeys: string[];
  /** Who started the thread, or wrote the message. */
  authorId: string;
  authorUsername: string;
  authorDisplayName: string;
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** Of a thread: whether any of its messages has an attachment. */
  hasAttachment: boolean;
}

/** A listed thread. Its `_id` is `documentId('thread', threadId)`. */
export interface ThreadDocument extends SearchFields {
  kind: 'thread';
  slug: string;
  preview: string;
  /** Tag names as shown; searched as text. */
  tags: string[];
  messageCount: number;
  /** The thread's title. Only documents of threads have this field. */
  heading: string;
  /** The thread's conversation, made by `stretchesOf`. It is indexed, but not stored. */
  stretches: Stretch[];
  /** A digest of the conversation, made by `hashConversation`. It tells whether the index holds this conversation. */
  conversationHash: string;
}

/** Texts that count as near each other. */
export interface Stretch {
  text: string[];
}

/** A counted message of a listed thread. Its `_id` is `documentId('message', messageId)`. */
export interface MessageDocument extends SearchFields {
  kind: 'message';
  messageId: string;
  /** The message's text as readers see it, with names in place of ids, and composed. */
  content: string;
  /** The same text in markdown. Absent where that is no different. */
  markdown?: string;
}

/** What is left of a deleted thread or message. It keeps the version, and no query matches it. */
export interface TombstoneDocument {
  kind: 'tombstone';
  idKey: string;
  threadId: string;
}

export type SearchDocument = ThreadDocument | MessageDocument | TombstoneDocument;

/**
 * Matches pieces of a text, each as long as the platform lets a message be. A piece ends behind a whole letter with its
 * marks, or vowels and finals of Korean, unless that letter alone is longer.
 */
const PIECES = /[^]{1,4000}(?![\p{M}\u1160-\u11ff])|[^]{1,4000}/gu;

/**
 * Composes letters and their marks into one character, as the index and queries both have them (NFC). It takes a long
 * text in pieces, because the time for a letter grows with the square of the number of its marks.
 */
export function composed(text: string): string {
  return text.replace(PIECES, (piece) => piece.normalize('NFC'));
}

/** The most UTF-16 units of conversation in a thread's document. Later messages are found by their own documents. */
export const CONVERSATION_LIMIT = 1_000_000;

/** The most UTF-16 units of title and tags at the beginning of each stretch. On the platform, they have at most 200. */
const MOST_HEADING = 500;

/** A stretch ends with the message with which it has at least so many UTF-16 units. */
export const STRETCH_LENGTH = 500;

/**
 * Cuts a conversation into stretches of neighbouring messages. Each stretch begins with the last message of the one
 * before, so any two neighbours share one. In front of that, each has the thread's title and tags, because these count
 * as near to everything that is said. They are cut to MOST_HEADING: a document may have thousands of stretches, and
 * each repeats them. Only the first CONVERSATION_LIMIT units of the contents are taken. The content that exceeds this
 * is cut.
 */
export function stretchesOf(
  { title, tags }: Pick<ThreadDocument, 'title' | 'tags'>,
  contents: readonly string[],
  limit = CONVERSATION_LIMIT,
): Stretch[] {
  const heading = textsWithin([title.slice(0, MOST_HEADING), ...tags], MOST_HEADING);
  const begin = (...texts: string[]): string[] => [...heading, ...texts];
  const stretches: Stretch[] = [];
  let text = begin();
  let length = 0;
  let isNew = true;
  let room = limit;
  for (const content of contents) {
    if (room <= 0) break;
    if (content === '') continue;
    const kept = content.slice(0, room);
    room -= kept.length;
    text.push(kept);
    length += kept.length;
    isNew = true;
    if (length < STRETCH_LENGTH) continue;
    stretches.push({ text });
    text = begin(kept);
    length = kept.length;
    isNew = false;
  }
  if (isNew) stretches.push({ text });
  return stretches;
}

/** A short digest of a conversation. */
export function hashConversation(stretches: readonly Stretch[]): string {
  return createHash('sha256').update(JSON.stringify(stretches)).digest('base64url').slice(0, 16);
}

/** The `_id` of a document. A thread and its first message may share an id, so the kind is a part of it. */
export function documentId(kind: 'thread' | 'message', id: string): string {
  return `${kind}-${id}`;
}

/** The `_id` of a document of something that is shown. */
export function documentIdOf(document: SearchDocument): string {
  return document.kind === 'message'
    ? documentId('message', document.messageId)
    : documentId('thread', document.threadId);
}

/**
 * The alias for reads and writes. The namespace is made fit for an index name: in lower case, with other signs as hex.
 */
export function searchAlias(namespace: string): string {
  const safe = namespace
    .toLowerCase()
    .replace(/[^a-z0-9_-]/gu, (sign) => `_${sign.codePointAt(0)!.toString(16)}`);
  return `${/^[a-z0-9]/.test(safe) ? '' : 'n'}${safe}-search`;
}

/** The index of one generation (1, 2, …) behind the alias. */
export function searchIndexName(namespace: string, generation: number): string {
  return `${searchAlias(namespace)}-${String(generation).padStart(6, '0')}`;
}

/** The alias through which a rebuild writes to one generation. */
export function writesAlias(index: string): string {
  return `${index}-writes`;
}

/** The generation of an index of this archive; undefined for any other index. */
export function generationOf(namespace: string, index: string): number | undefined {
  const digits = index.slice(searchAlias(namespace).length + 1);
  const generation = Number(digits);
  return /^\d{6}$/.test(digits) && searchIndexName(namespace, generation) === index
    ? generation
    : undefined;
}

/** The indexes of this archive, by their generation. */
export async function listGenerations(
  client: Client,
  namespace: string,
): Promise<Map<number, string>> {
  const found = await client.indices.get({ index: `${searchAlias(namespace)}-*` });
  return new Map(
    Object.keys(found).flatMap((index) => {
      const generation = generationOf(namespace, index);
      return generation === undefined ? [] : [[generation, index] as const];
    }),
  );
}

/** The index behind the alias, and the version of its mapping. Throws where there is none. */
export async function readSearchIndex(
  client: Client,
  namespace: string,
  limits: TransportRequestOptions = {},
): Promise<{ index: string; mappingVersion: number }> {
  const found = await client.indices.getMapping({ index: searchAlias(namespace) }, limits);
  const [index = '', { mappings } = { mappings: {} }] = Object.entries(found)[0] ?? [];
  const version: unknown = mappings._meta?.['mappingVersion'];
  return { index, mappingVersion: typeof version === 'number' ? version : 0 };
}

/** What is wrong with an index of another mapping, for the log and the status; null for the current mapping. */
export function describeMapping(mappingVersion: number): string | null {
  if (mappingVersion === MAPPING_VERSION) return null;
  return mappingVersion < MAPPING_VERSION
    ? `The search index has mapping ${mappingVersion}, this version needs ${MAPPING_VERSION}: run forum-archive reindex --search`
    : `The search index has mapping ${mappingVersion}, newer than this version's ${MAPPING_VERSION}: update, or run forum-archive reindex --search`;
}

/** What is wrong with the index behind the alias; null where nothing is. Throws where there is no index. */
export async function searchProblem(
  client: Client,
  namespace: string,
  limits: TransportRequestOptions = {},
): Promise<string | null> {
  const { mappingVersion } = await readSearchIndex(client, namespace, limits);
  return describeMapping(mappingVersion);
}

/**
 * Makes sure that the alias leads to an index. Where it is missing, it creates generation 1 with the alias. It may run
 * any number of times, in any number of processes at once.
 */
export async function ensureSearchIndex(client: Client, namespace: string): Promise<void> {
  const alias = searchAlias(namespace);
  if (await client.indices.existsAlias({ name: alias })) return;
  const index = searchIndexName(namespace, 1);
  try {
    await client.indices.create({
      index,
      ...searchIndexDefinition,
      aliases: { [alias]: { is_write_index: true } },
    });
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
    if (await client.indices.existsAlias({ name: alias })) return;
    await client.indices.putAlias({ index, name: alias, is_write_index: true });
  }
}

/**
 * Puts an empty index behind the alias, and drops all other indexes of this archive in the same step. So the alias
 * always exists.
 */
export async function replaceSearchIndex(client: Client, namespace: string): Promise<void> {
  const alias = searchAlias(namespace);
  const old = await listGenerations(client, namespace);
  const index = searchIndexName(namespace, Math.max(0, ...old.keys()) + 1);
  await client.indices.create({ index, ...searchIndexDefinition });
  await client.indices.updateAliases({
    actions: [
      ...[...old.values()].map((name) => ({ remove_index: { index: name } })),
      { add: { index, alias, is_write_index: true } },
    ],
  });
}

function isAlreadyThere(error: unknown): boolean {
  if (!(error instanceof errors.ResponseError)) return false;
  const body = error.body as { error?: { type?: string } } | null;
  return body?.error?.type === 'resource_already_exists_exception';
}
