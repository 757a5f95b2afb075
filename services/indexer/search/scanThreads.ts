import { faultPoint } from '../../../shared/platform/faultPoint.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import { isQuarantined } from '../quarantine/tries.js';
import { raiseRevisions } from '../records/threadRevision.js';
import type { SearchWriter } from '../stores/searchWriter.js';
import type { RebuildRecord } from './rebuildRecord.js';
import { writeThread } from './writeThread.js';

const BATCH = 32;

/** How many threads a scan will meet. */
export async function totalThreads({
  collections,
}: Pick<IndexerDeps, 'collections'>): Promise<number> {
  return collections.threads.estimatedDocumentCount();
}

/** Writes every thread, in the order of their ids, from the record's cursor on; saves the cursor as it goes. */
export async function scanThreads(
  deps: IndexerDeps,
  search: SearchWriter,
  record: RebuildRecord,
): Promise<void> {
  for (;;) {
    const { cursor, threads, documents } = record.current();
    const batch = await nextThreads(deps, cursor);
    if (batch.length === 0) return;
    const written = await Promise.all(batch.map((thread) => writeThread(deps, search, thread)));
    await record.save({
      cursor: batch.at(-1)!._id,
      threads: threads + batch.length,
      documents: documents + written.reduce((sum, count) => sum + count, 0),
    });
    faultPoint('rebuildScanning');
  }
}

/**
 * Marks the threads that a scan was cut off in: if one of them ended the process, the sweep finds out which, and sets
 * it aside.
 */
export async function suspectNext(deps: IndexerDeps, record: RebuildRecord): Promise<void> {
  const batch = await nextThreads(deps, record.current().cursor);
  await raiseRevisions(
    deps.collections.threads,
    batch.filter((thread) => !isQuarantined(thread)).map(({ _id }) => _id),
  );
}

/** Writes every thread that has a mark now. */
export async function writePending(deps: IndexerDeps, search: SearchWriter): Promise<void> {
  const { threads } = deps.collections;
  const marked = await threads
    .find({ pending: { $exists: true } }, { projection: { _id: 1 } })
    .toArray();
  for (let start = 0; start < marked.length; start += BATCH) {
    const ids = marked.slice(start, start + BATCH).map(({ _id }) => _id);
    const batch = await threads.find({ _id: { $in: ids } }).toArray();
    await Promise.all(batch.map((thread) => writeThread(deps, search, thread)));
  }
}

function nextThreads({ collections }: IndexerDeps, cursor: string): Promise<ThreadRecord[]> {
  return collections.threads
    .find({ _id: { $gt: cursor } })
    .sort({ _id: 1 })
    .limit(BATCH)
    .toArray();
}
