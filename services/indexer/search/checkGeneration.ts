import type { IndexerDeps } from '../deps.js';
import type { SearchWriter } from '../stores/searchWriter.js';
import { nextVersion } from '../stores/nextVersion.js';
import { toldMessages } from '../stores/toldMessages.js';
import { pagesById } from '../../../shared/store/pagesById.js';
import { markId } from '../../../shared/store/work.js';
import { documentId } from '../../../shared/store/searchIndex.js';
import { withoutQuarantined, writeThread } from './writeThread.js';

/** How often threads that differ are written again before the new index counts as wrong. */
const ROUNDS = 5;

/** A new index does not hold the documents that it must hold. */
export class WrongGeneration extends Error {
  override readonly name = 'WrongGeneration';
}

/**
 * Compares every listed thread with an index. The index must hold the thread's document, at the revision of its views
 * or a later one, and as many messages as the list shows. A thread that differs may just be changing, so it is written
 * and compared again. Resolves with the number of such threads. Throws WrongGeneration where a thread that nobody
 * changes still differs. Threads of which the index refuses a document (`refused`) and quarantined threads do not count.
 */
export async function checkGeneration(
  deps: IndexerDeps,
  index: string,
  search: SearchWriter,
  refused: ReadonlySet<string>,
): Promise<number> {
  let mended = 0;
  const projection = { revision: 1, 'facts.messages': 1 };
  for await (const items of pagesById(deps.collections.threadItems, { projection })) {
    const listed = items.map((item) => ({
      threadId: item._id,
      revision: item.revision,
      documents: toldMessages(item) + 1,
    }));
    const differing = await findDiffering(
      deps,
      index,
      await withoutQuarantined(deps, listed, ({ threadId }) => threadId),
    );
    mended += differing.length;
    await mend(deps, index, { search, refused }, differing);
  }
  return mended;
}

/** A listed thread: the revision of its views, and how many documents it must have (itself and its messages). */
interface Listed {
  threadId: string;
  revision: number;
  documents: number;
}

async function mend(
  deps: IndexerDeps,
  index: string,
  { search, refused }: { search: SearchWriter; refused: ReadonlySet<string> },
  differing: Listed[],
): Promise<void> {
  let left = differing;
  for (let round = 1; left.length > 0; round += 1) {
    if (round > ROUNDS) {
      const { threadId } = left[0]!;
      throw new WrongGeneration(
        `${left.length} threads differ in the new search index, such as ${threadId}`,
      );
    }
    const resting = await writeAgain(deps, search, left);
    const compared = await findDiffering(deps, index, resting);
    left = compared.filter(({ threadId }) => !refused.has(threadId));
  }
}

/** Writes threads again. Resolves with those that rest: they have no mark, and were not built meanwhile. */
async function writeAgain(
  deps: IndexerDeps,
  search: SearchWriter,
  differing: Listed[],
): Promise<Listed[]> {
  const { threads, threadItems, work, state } = deps.collections;
  const ids = differing.map(({ threadId }) => threadId);
  const version = await nextVersion(state);
  const read = await threads.find({ _id: { $in: ids } }).toArray();
  const documents = new Map<string, number>();
  for (const thread of read) {
    documents.set(thread._id, await writeThread(deps, search, { thread, version }));
  }
  const marks = ids.map((id) => markId('thread', id));
  const marked = await work.find({ _id: { $in: marks } }, { projection: { subject: 1 } }).toArray();
  const busy = new Set(marked.map(({ subject }) => subject));
  const items = await threadItems
    .find({ _id: { $in: ids }, revision: { $lte: version } })
    .toArray();
  const resting = new Set(items.map(({ _id }) => _id));
  return differing
    .filter(({ threadId }) => !busy.has(threadId) && resting.has(threadId))
    .map((one) => ({ ...one, documents: documents.get(one.threadId) ?? 0 }));
}

/** The threads of which the index holds a wrong number of documents, or a document that is older than the views. */
async function findDiffering(
  deps: IndexerDeps,
  index: string,
  listed: Listed[],
): Promise<Listed[]> {
  if (listed.length === 0) return [];
  await deps.elasticsearch.indices.refresh({ index });
  const ids = listed.map(({ threadId }) => threadId);
  const [versions, counts] = await Promise.all([
    readVersions(deps, index, ids),
    countDocuments(deps, index, ids),
  ]);
  return listed.filter(
    ({ threadId, revision, documents }) =>
      (versions.get(threadId) ?? 0) < revision || (counts.get(threadId) ?? 0) !== documents,
  );
}

/** The versions of the threads' own documents, including tombstones. */
async function readVersions(
  { elasticsearch }: IndexerDeps,
  index: string,
  threadIds: string[],
): Promise<Map<string, number>> {
  const { docs } = await elasticsearch.mget({
    index,
    _source: false,
    ids: threadIds.map((id) => documentId('thread', id)),
  });
  return new Map(
    docs.map((found, n) => [threadIds[n]!, '_version' in found ? (found._version ?? 0) : 0]),
  );
}

/** How many documents of each thread can be found: its own one and those of its messages. */
async function countDocuments(
  { elasticsearch }: IndexerDeps,
  index: string,
  threadIds: string[],
): Promise<Map<string, number>> {
  const { aggregations } = await elasticsearch.search<
    unknown,
    { threads: { buckets: { key: string; doc_count: number }[] } }
  >({
    index,
    size: 0,
    query: {
      bool: {
        filter: [{ terms: { threadId: threadIds } }, { terms: { kind: ['thread', 'message'] } }],
      },
    },
    aggs: { threads: { terms: { field: 'threadId', size: threadIds.length } } },
  });
  return new Map(aggregations!.threads.buckets.map(({ key, doc_count: count }) => [key, count]));
}
