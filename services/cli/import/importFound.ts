import { ObjectId } from 'mongodb';
import { endingInOrder } from '../endingInOrder.js';
import { counted, formatCount } from '../numbers.js';
import type { Archive } from '../openArchive.js';
import { createProgress, type Progress } from '../progress.js';
import { requireQueue } from '../reachable.js';
import type { FoundFile } from '../walkFiles.js';
import type { ImportSummary } from './importSummary.js';
import { storeFiles, type StoredFiles } from './storeFiles.js';
import { waitForImport } from './waitForImport.js';

/**
 * Imports files that were found. With `wait`, it starts an indexer where none runs, and waits until the files are
 * imported. Without it, it does neither: an indexer that it starts would be stopped at once, together with this command.
 */
export async function importFound(
  archive: Archive,
  files: readonly FoundFile[],
  options: { wait: boolean },
): Promise<ImportSummary> {
  const began = performance.now();
  await requireQueue(archive);
  if (options.wait) archive.startIndexer();
  const importId = new ObjectId().toHexString();
  const { stored, ...rest } = await storeAll(archive, importId, files);
  const outcome = options.wait ? await waitAll(archive, importId, stored) : null;
  return {
    importId,
    queued: outcome ? 0 : stored.size,
    waitsForIndexer: !outcome && stored.size > 0 && archive.crashed !== undefined,
    imported: 0,
    unchanged: 0,
    threads: 0,
    messages: 0,
    quarantined: [],
    ...rest,
    ...outcome,
    rejected: [...rest.rejected, ...(outcome?.rejected ?? [])],
    seconds: Math.round(performance.now() - began) / 1_000,
  };
}

async function storeAll(
  archive: Archive,
  importId: string,
  files: readonly FoundFile[],
): Promise<StoredFiles> {
  const { imports } = archive.mongo.collections;
  const createdAt = new Date();
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  const result = await endingInOrder(async (signal) => {
    const progress = createProgress('Checking and storing', total, showBytes);
    try {
      return await storeWhole(archive, importId, files, { progress, signal });
    } finally {
      progress.stop();
    }
  });
  // The import is recorded only now. A command that is cut off earlier leaves no import with an unknown number of files.
  await imports.insertOne({ _id: importId, createdAt, files: result.stored.size });
  return result;
}

/**
 * Stores files. Once the signal is aborted, it begins no further file, and stores those that it has begun to their end,
 * because a part of a file would stay in the database for a day. Then it prints how many files are queued, and throws
 * the signal's reason.
 */
async function storeWhole(
  archive: Archive,
  importId: string,
  files: readonly FoundFile[],
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<StoredFiles> {
  signal.addEventListener('abort', () =>
    progress.say(
      'Ends once the files that are being stored are whole; Ctrl-C again ends it at once',
    ),
  );
  const result = await storeFiles(archive, importId, files, progress, signal);
  const { size } = result.stored;
  if (signal.aborted && size > 0)
    progress.say(`${counted(size, 'file')} stored and queued: imported once an indexer runs`);
  signal.throwIfAborted();
  return result;
}

async function waitAll(
  archive: Archive,
  importId: string,
  stored: ReadonlyMap<string, string>,
): Promise<Awaited<ReturnType<typeof waitForImport>>> {
  const progress = createProgress('Importing', stored.size, (done, total) => {
    return `${formatCount(done)} of ${counted(total, 'file')}`;
  });
  try {
    return await waitForImport(archive, importId, stored, progress);
  } finally {
    progress.stop();
  }
}

function showBytes(done: number, total: number): string {
  return `${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`;
}
