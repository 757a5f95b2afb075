import { errors, type Client } from '@elastic/elasticsearch';
import type { Mongo } from '../../../shared/platform/clients.js';
import { findGathered } from '../../../shared/store/gather.js';
import { idKey } from '../../../shared/store/listKeys.js';
import {
  documentId,
  searchAlias,
  writesAlias,
  type SearchDocument,
} from '../../../shared/store/searchIndex.js';
import type { Logger } from '../../../shared/platform/logger.js';

/** A document waiting for the next bulk request. */
interface Waiting {
  id: string;
  revision: number;
  json: string;
}

/** Writes search documents, each with its thread's revision as external version. */
export interface SearchWriter {
  /** Resolves when the documents, or newer ones, are stored. Documents the index refuses are reported, not awaited. */
  write(documents: SearchDocument[], revision: number): Promise<void>;
  /** Leaves tombstones: Elasticsearch forgets the version of a deleted document, and a late write would revive it. */
  remove(
    kind: 'thread' | 'message',
    ids: string[],
    threadId: string,
    revision: number,
  ): Promise<void>;
}

/** The index could not be reached or is overloaded: the whole batch is to be tried again. */
export class SearchUnavailable extends Error {
  override readonly name = 'SearchUnavailable';
}

/** A bulk request takes what has gathered, up to this many documents and characters. */
const MAX_DOCUMENTS = 1_000;
const MAX_CHARACTERS = 4_000_000;
/** Milliseconds a bulk request gathers: little when the index is idle, more while another is under way. */
const GATHER_MS = 5;
const GATHER_MS_BUSY = 60;

interface Batch {
  waiting: Waiting[];
  characters: number;
  done: Promise<void>;
  send(): void;
}

/** Where to write: the indexes that every write goes to now, or none for the one behind the alias alone. */
export interface SearchTargets {
  namespace: string;
  /** Asked before each bulk request, after whatever is in it was read: a rebuild relies on that. */
  readTargets: () => Promise<string[]>;
}

/** The targets that the archive's record names. */
export function targetsOf({
  collections,
  namespace,
}: Pick<Mongo, 'collections' | 'namespace'>): SearchTargets {
  return {
    namespace,
    readTargets: async () =>
      (await findGathered(collections.searchGenerations, 'search'))?.targets ?? [],
  };
}

/** How often a bulk request is sent again because an index it went to has just been dropped. */
const DROPPED_RETRIES = 3;

/**
 * A writer that gathers what concurrent jobs write within a few milliseconds into one bulk request. `onRefused` learns
 * of each document that the index will never take (400): it must not block the others.
 */
export function createSearchWriter(
  client: Client,
  { namespace, readTargets }: SearchTargets,
  logger: Logger,
  onRefused: (id: string, reason: string) => void = (id, reason) =>
    logger.error({ id, reason }, 'The search index refused a document'),
): SearchWriter {
  let open: Batch | null = null;

  let underWay = 0;

  const sendCounted = async (batch: Batch): Promise<void> => {
    underWay += 1;
    try {
      await sendBatch(batch);
    } finally {
      underWay -= 1;
    }
  };
  const openBatch = (): Batch => {
    let send!: () => void;
    const started = new Promise<void>((resolve) => (send = resolve));
    const batch: Batch = {
      waiting: [],
      characters: 0,
      send,
      done: started.then(() => sendCounted(batch)),
    };
    setTimeout(() => close(batch), underWay > 0 ? GATHER_MS_BUSY : GATHER_MS);
    return batch;
  };
  const close = (batch: Batch): void => {
    if (open === batch) open = null;
    batch.send();
  };
  const sendBatch = async (
    { waiting }: Pick<Batch, 'waiting'>,
    retries = DROPPED_RETRIES,
  ): Promise<void> => {
    const targets = await readTargets();
    const aliases = targets.length > 0 ? targets.map(writesAlias) : [searchAlias(namespace)];
    const body = aliases.flatMap((alias) => waiting.map((one) => bulkLines(alias, one))).join('');
    const response = await client.bulk({ body }).catch((error: unknown) => {
      throw error instanceof errors.ElasticsearchClientError
        ? new SearchUnavailable('The search index cannot be reached', { cause: error })
        : error;
    });
    const items = response.items as BulkItem[];
    const isDropped = targets.length > 1 && items.some(({ index }) => index.status === 404);
    if (isDropped && retries > 0) return sendBatch({ waiting }, retries - 1);
    checkItems(items, onRefused);
  };
  const enqueue = (entry: Waiting): Promise<void> => {
    open ??= openBatch();
    const batch = open;
    batch.waiting.push(entry);
    batch.characters += entry.json.length;
    if (batch.waiting.length >= MAX_DOCUMENTS || batch.characters >= MAX_CHARACTERS) close(batch);
    return batch.done;
  };
  const enqueueAll = async (entries: Waiting[]): Promise<void> => {
    await Promise.all(new Set(entries.map(enqueue)));
  };

  return {
    write: (documents, revision) =>
      enqueueAll(documents.map((document) => waitingDocument(document, revision))),
    remove: (kind, ids, threadId, revision) =>
      enqueueAll(ids.map((id) => tombstone(kind, id, threadId, revision))),
  };
}

interface BulkItem {
  index: { _id: string; status: number; error?: { type: string; reason: string } };
}

function waitingDocument(document: SearchDocument, revision: number): Waiting {
  const id =
    document.kind === 'message'
      ? documentId('message', document.messageId)
      : documentId('thread', document.threadId);
  return { id, revision, json: JSON.stringify(document) };
}

function tombstone(
  kind: 'thread' | 'message',
  id: string,
  threadId: string,
  revision: number,
): Waiting {
  const document: SearchDocument = { kind: 'tombstone', idKey: idKey(id), threadId };
  return { id: documentId(kind, id), revision, json: JSON.stringify(document) };
}

/** Only an alias is written to, so that an index that was dropped never comes back without its mapping. */
function bulkLines(alias: string, { id, revision, json }: Waiting): string {
  const place = `"_index":"${alias}","require_alias":true,"_id":${JSON.stringify(id)}`;
  return `{"index":{${place},"version":${revision},"version_type":"external"}}\n${json}\n`;
}

/** 409: a newer document is stored, which is as good. 400: never acceptable. Anything else: the batch is tried again. */
function checkItems(items: BulkItem[], onRefused: (id: string, reason: string) => void): void {
  const failed = items
    .map(({ index }) => index)
    .filter(({ status }) => status >= 300 && status !== 409);
  for (const { _id, status, error } of failed) {
    if (status === 400) onRefused(_id, `${error?.type ?? ''}: ${error?.reason ?? ''}`);
  }
  const passing = failed.find(({ status }) => status !== 400);
  if (passing)
    throw new SearchUnavailable(`The search index answered ${passing.status} for ${passing._id}`);
}
