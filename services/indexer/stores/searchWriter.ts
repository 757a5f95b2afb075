import type { Client } from '@elastic/elasticsearch';
import type { Mongo } from '../../../shared/platform/clients.js';
import { findGathered } from '../../../shared/store/gather.js';
import { stateOf } from '../../../shared/store/state.js';
import {
  documentId,
  documentIdOf,
  type SearchDocument,
} from '../../../shared/store/searchIndex.js';
import { digestOf, type SentDocuments } from './sentDocuments.js';
import { sendBulk, tombstone, type Refusal, type SearchTargets, type Waiting } from './sendBulk.js';

/** Writes search documents, each with its thread's revision as external version. */
export interface SearchWriter {
  /**
   * Resolves when the documents, or newer versions of them, are stored. Rejects with SearchUnavailable when the index
   * cannot take them now. A document that the index refuses for good is no error: it is reported as refused. With
   * `sent`, documents that `sent` has are left out, and those that are stored now are added to it.
   */
  write(documents: SearchDocument[], revision: number, sent?: SentDocuments): Promise<void>;
  /**
   * Replaces documents by tombstones. Elasticsearch forgets the version of a deleted document, so a late write would
   * bring it back.
   */
  remove(
    kind: 'thread' | 'message',
    ids: string[],
    threadId: string,
    revision: number,
    sent?: SentDocuments,
  ): Promise<void>;
}

/**
 * The most documents and characters of one bulk request. Elasticsearch works on a request with one thread, for half a
 * second at most. It takes a few seconds where nearly every character begins a word, as in bytes written as `3f 0a c1`.
 * Meanwhile the requests of events may have to wait for a thread.
 */
const MAX_DOCUMENTS = 1_000;
const MAX_CHARACTERS = 250_000;
/** How long (ms) a bulk request gathers documents: while no request is under way, and while one is. */
const GATHER_MS = 5;
const GATHER_MS_BUSY = 200;
/**
 * While so many requests are under way, further documents gather until one of these ends, or until they fill a request.
 */
const MOST_UNDER_WAY = 2;
/**
 * The most requests that are under way at once. Full requests beyond that wait in order. Elasticsearch refuses further
 * requests while those that it holds take a tenth of its memory: 53 MB of 512.
 */
const MOST_FULL = 8;

interface Batch {
  waiting: Waiting[];
  characters: number;
  /** It has gathered long enough. */
  isDue: boolean;
  done: Promise<void>;
  send(): void;
}

/** The targets that the archive's record names. */
export function targetsOf({
  collections,
  namespace,
}: Pick<Mongo, 'collections' | 'namespace'>): SearchTargets {
  return {
    namespace,
    readTargets: async () =>
      (await findGathered(stateOf(collections.state, 'search'), 'search'))?.targets ?? [],
  };
}

/**
 * Makes a writer that gathers what concurrent jobs write within a few milliseconds into one bulk request. It tells
 * `onRefused` of documents that the index will never take, and waits for that before their writers go on.
 */
export function createSearchWriter(
  client: Client,
  where: SearchTargets,
  onRefused: (refusals: Refusal[]) => Promise<void>,
): SearchWriter {
  let open: Batch | null = null;
  const full: Batch[] = [];
  let underWay = 0;

  const sendCounted = async (batch: Batch): Promise<void> => {
    try {
      await sendBulk(client, where, batch.waiting, onRefused);
    } finally {
      underWay -= 1;
      const next = full.shift();
      if (next) begin(next);
      else if (open?.isDue && underWay < MOST_UNDER_WAY) close(open);
    }
  };
  const openBatch = (): Batch => {
    let send!: () => void;
    const started = new Promise<void>((resolve) => (send = resolve));
    const batch: Batch = {
      waiting: [],
      characters: 0,
      isDue: false,
      send,
      done: started.then(() => sendCounted(batch)),
    };
    setTimeout(() => due(batch), underWay > 0 ? GATHER_MS_BUSY : GATHER_MS);
    return batch;
  };
  const due = (batch: Batch): void => {
    if (open !== batch) return;
    batch.isDue = true;
    if (underWay < MOST_UNDER_WAY) close(batch);
  };
  const close = (batch: Batch): void => {
    open = null;
    if (underWay < MOST_FULL) begin(batch);
    else full.push(batch);
  };
  const begin = (batch: Batch): void => {
    underWay += 1;
    batch.send();
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

  const enqueueChanged = async (entries: Waiting[], sent: SentDocuments): Promise<void> => {
    const digests = entries.map(digestOf);
    const changed = entries.filter((_, n) => !sent.has(digests[n]!));
    // A new index that a rebuild fills may lack documents that the searched one holds, so all are sent. The targets are
    // read after the records: a rebuild that begins later reads records that are at least as new.
    const isRebuilt = changed.length < entries.length && (await where.readTargets()).length > 0;
    await enqueueAll(isRebuilt ? entries : changed);
    // A document that was refused is not added. So the next build sends it again, and its refusal stays known.
    sent.add(digests.filter((_, n) => !entries[n]!.isRefused));
  };

  const send = (entries: Waiting[], sent: SentDocuments | undefined): Promise<void> =>
    sent ? enqueueChanged(entries, sent) : enqueueAll(entries);

  return {
    write: (documents, revision, sent) =>
      send(
        documents.map((document) => waitingDocument(document, revision)),
        sent,
      ),
    remove: (kind, ids, threadId, revision, sent) =>
      send(
        ids.map((id) => tombstone({ id: documentId(kind, id), threadId, revision })),
        sent,
      ),
  };
}

/**
 * Makes a writer for one build of one thread. It writes only documents that `sent` does not have, and each document
 * once. A build would write a document again where a message is deleted after the build has read it, or where the
 * message's time changes, so that the build reads it twice. The index would refuse the second write, because it has the
 * same version as the first one, but `sent` would note it as stored. The change has marked the thread, so the next build
 * writes it.
 */
export function onlyChanged(search: SearchWriter, sent: SentDocuments): SearchWriter {
  const written = new Set<string>();
  return {
    write(documents, revision) {
      const unwritten = documents.filter((document) => !written.has(documentIdOf(document)));
      for (const document of unwritten) written.add(documentIdOf(document));
      return search.write(unwritten, revision, sent);
    },
    remove(kind, ids, threadId, revision) {
      const others = ids.filter((id) => !written.has(documentId(kind, id)));
      return search.remove(kind, others, threadId, revision, sent);
    },
  };
}

function waitingDocument(document: SearchDocument, revision: number): Waiting {
  const { threadId } = document;
  return { id: documentIdOf(document), threadId, revision, json: JSON.stringify(document) };
}
