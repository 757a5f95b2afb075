import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { inspectExport, type Inspection } from '../../../shared/exportFormat/readExport.js';
import { writeAllGathered } from '../../../shared/store/gather.js';
import { newUploadId, storeUpload } from '../../../shared/store/uploads.js';
import type { ImportFileRecord } from '../../../shared/store/views.js';
import { forEachAtOnce } from '../../../shared/platform/forEachAtOnce.js';
import type { Archive } from '../openArchive.js';
import type { Progress } from '../progress.js';
import { JSON_NAME, reasonOf, type FoundFile } from '../walkFiles.js';
import type { Problem } from './importSummary.js';
import { isJsonFile } from './sniffFile.js';

const FILES_AT_ONCE = 16;
const READ_BYTES = 262_144;

/** Why a file is not imported. */
type NotTaken = Extract<Inspection, { reason: string }>;

/** What became of the files before they were queued. */
export interface StoredFiles {
  /** The paths of the files that are queued, by the ids of their uploads. */
  stored: Map<string, string>;
  ignored: number;
  skipped: Problem[];
  refused: Problem[];
  rejected: Problem[];
}

/**
 * Checks each file as a whole. Stores and queues the files that hold a public thread or describe a forum. When the
 * signal is aborted, it begins no other file.
 */
export async function storeFiles(
  archive: Pick<Archive, 'mongo' | 'producer'>,
  importId: string,
  files: readonly FoundFile[],
  progress: Pick<Progress, 'advance'>,
  signal?: AbortSignal,
): Promise<StoredFiles> {
  const result: StoredFiles = {
    stored: new Map(),
    ignored: 0,
    skipped: [],
    refused: [],
    rejected: [],
  };
  await forEachAtOnce(untilAborted(files, signal), FILES_AT_ONCE, async (file) => {
    const verdict = await takeFile(archive, importId, file, progress).catch(rejectUnreadable);
    if (verdict === 'other') result.ignored += 1;
    else if ('uploadId' in verdict) result.stored.set(verdict.uploadId, file.path);
    else result[verdict.kind].push(problem(file, verdict));
  });
  return result;
}

function* untilAborted<T>(items: Iterable<T>, signal: AbortSignal | undefined): Generator<T> {
  for (const item of items) {
    if (signal?.aborted) return;
    yield item;
  }
}

/**
 * Checks a file. Where it is to be imported, stores and queues it, and resolves with the id of its upload. Throws
 * UnreadableFile.
 */
async function takeFile(
  archive: Pick<Archive, 'mongo' | 'producer'>,
  importId: string,
  file: FoundFile,
  progress: Pick<Progress, 'advance'>,
): Promise<{ uploadId: string } | NotTaken | 'other'> {
  if (file.error !== undefined) throw new UnreadableFile(file.error);
  const open = opener(file);
  const verdict = await inspectFile(file, open, progress);
  if (verdict === 'other' || 'reason' in verdict) return verdict;
  return { uploadId: await storeFile(archive, importId, { file, open }) };
}

/**
 * A file could not be read. A file is read to check it, and a large file is read once more to store it. In between it
 * may have been removed, or its disk may have failed.
 */
class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

function throwUnreadable(error: unknown): never {
  throw new UnreadableFile(reasonOf(error));
}

function rejectUnreadable(error: unknown): NotTaken {
  if (!(error instanceof UnreadableFile)) throw error;
  return { kind: 'rejected', reason: `It cannot be read: ${error.message}` };
}

function problem(file: FoundFile, verdict: NotTaken): Problem {
  const at = 'at' in verdict ? verdict.at : undefined;
  return { file: file.path, reason: verdict.reason, ...(at === undefined ? {} : { at }) };
}

type Open = () => AsyncIterable<Buffer>;

/**
 * Makes a function that opens a file, as often as needed. A small file is read once, and its bytes are kept. Errors of
 * reading are thrown as UnreadableFile.
 */
function opener({ path, bytes }: FoundFile): Open {
  let read: Promise<Buffer> | undefined;
  const chunks = (): AsyncIterable<Buffer> | Promise<Buffer>[] =>
    bytes > READ_BYTES
      ? createReadStream(path, { highWaterMark: READ_BYTES })
      : [(read ??= readFile(path))];
  return async function* () {
    try {
      for await (const chunk of chunks()) yield chunk;
    } catch (error) {
      throwUnreadable(error);
    }
  };
}

async function inspectFile(
  file: FoundFile,
  open: Open,
  progress: Pick<Progress, 'advance'>,
): Promise<Inspection | 'other'> {
  // A file that was meant as an export is reported, not ignored, where it is empty or damaged.
  const isMeant = file.named || JSON_NAME.test(file.path);
  if (isMeant || (await isJsonFile(file.path).catch(throwUnreadable)))
    return inspectExport(counted(file, open, progress));
  progress.advance(file.bytes);
  return 'other';
}

/** Reads the bytes of a file, and reports them to the progress. */
async function* counted(
  file: FoundFile,
  open: Open,
  progress: Pick<Progress, 'advance'>,
): AsyncGenerator<Buffer> {
  let left = file.bytes;
  try {
    for await (const chunk of open()) {
      const { length } = chunk;
      progress.advance(Math.min(left, length));
      left -= Math.min(left, length);
      yield chunk;
    }
  } finally {
    progress.advance(left);
  }
}

/**
 * Stores the upload, then the record, and then the job. So a record always has its upload, and a job its record. Resolves
 * with the id of the upload.
 */
async function storeFile(
  { mongo, producer }: Pick<Archive, 'mongo' | 'producer'>,
  importId: string,
  { file, open }: { file: FoundFile; open: Open },
): Promise<string> {
  const uploadId = newUploadId();
  await storeUpload(mongo.collections, uploadId, open());
  const document: ImportFileRecord = {
    _id: uploadId,
    importId,
    name: file.path,
    bytes: file.bytes,
    state: 'queued',
    queuedAt: new Date(),
  };
  await writeAllGathered(mongo.collections.importFiles, [{ insertOne: { document } }]);
  await producer.add('import-file', { uploadId, importId });
  return uploadId;
}
