import { faultPoint } from '../../../shared/platform/faultPoint.js';
import { pagesById } from '../../../shared/store/pagesById.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import { NEVER } from '../../../shared/store/work.js';
import { setMarks } from '../work/claims.js';
import type { IndexerDeps } from '../deps.js';
import { nextVersion } from '../stores/nextVersion.js';
import type { SearchWriter } from '../stores/searchWriter.js';
import type { RebuildRecord } from './rebuildRecord.js';
import { finish } from '../work/runMarks.js';
import { removeThreadDocuments } from './removeDocuments.js';
import { withoutQuarantined, writeThread } from './writeThread.js';

/** How many threads are written at once. They get the same version. */
const BATCH = 32;

/** Writes every thread after the cursor of the record, in the order of their ids. Saves the cursor after each batch. */
export async function scanThreads(
  deps: IndexerDeps,
  search: SearchWriter,
  record: RebuildRecord,
): Promise<void> {
  for (;;) {
    const { cursor, threads, documents } = record.current();
    const version = await nextVersion(deps.collections.state);
    const batch = await nextThreads(deps, cursor);
    if (batch.length === 0) return;
    const written = await writeThreads(deps, search, batch, version);
    await record.save({
      cursor: batch.at(-1)!._id,
      threads: threads + batch.length,
      documents: documents + written.reduce((sum, count) => sum + count, 0),
    });
    faultPoint('rebuildScanning');
  }
}

/**
 * Builds the threads of the batch in which a scan was cut off, one after the other. If a thread ends the process again,
 * only its own tries are counted. After a few tries it is quarantined.
 */
export async function suspectNext(deps: IndexerDeps, record: RebuildRecord): Promise<void> {
  const batch = await nextThreads(deps, record.current().cursor);
  const ids = (await withoutQuarantined(deps, batch, ({ _id }) => _id)).map(({ _id }) => _id);
  await setMarks(deps, 'thread', ids);
  for (const id of ids) await finish(deps, 'thread', id);
}

/** Writes every thread that is marked now. */
export async function writePending(deps: IndexerDeps, search: SearchWriter): Promise<void> {
  const { work, threads, state } = deps.collections;
  const marked = { prefix: 'thread/', filter: { due: { $ne: NEVER } }, projection: { subject: 1 } };
  for await (const marks of pagesById(work, { size: BATCH, ...marked })) {
    const version = await nextVersion(state);
    const ids = marks.map(({ subject }) => subject);
    await writeThreads(deps, search, await threads.find({ _id: { $in: ids } }).toArray(), version);
  }
}

/**
 * Writes threads that were read after a version was taken. Resolves with the number of documents of each. A quarantined
 * thread cannot be written, and gets tombstones. Worker A builds a thread, and stalls before it sends the documents.
 * Meanwhile a message of the thread is deleted, its next builds fail, and it is quarantined. Without tombstones, the new
 * index would take A's documents when A goes on.
 */
async function writeThreads(
  deps: IndexerDeps,
  search: SearchWriter,
  read: ThreadRecord[],
  version: number,
): Promise<number[]> {
  const writable = new Set(await withoutQuarantined(deps, read, ({ _id }) => _id));
  return Promise.all(
    read.map(async (thread) => {
      if (writable.has(thread)) return writeThread(deps, search, { thread, version });
      await removeThreadDocuments(deps.collections, search, thread._id, version);
      return 0;
    }),
  );
}

function nextThreads({ collections }: IndexerDeps, cursor: string): Promise<ThreadRecord[]> {
  return collections.threads
    .find({ _id: { $gt: cursor } })
    .sort({ _id: 1 })
    .limit(BATCH)
    .toArray();
}
