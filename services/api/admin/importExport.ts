import { finished, type Readable } from 'node:stream';
import busboy from 'busboy';
import type { ImportedFile } from '../../../shared/contract/admin.js';
import { AppError } from '../../../shared/contract/errors.js';
import type { RawBody } from '../../../shared/contract/operation.js';
import { importJobId } from '../../../shared/jobs/importJobId.js';
import type { Collections } from '../../../shared/store/collections.js';
import { storeChecked } from '../../../shared/store/storeChecked.js';
import { deleteUpload, newUploadId } from '../../../shared/store/uploads.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import { Turns } from '../turns.js';
import { Unavailable } from '../unavailable.js';
import { queuedJob } from './fileJob.js';
import { requireQueue, type QueueDeps } from './withQueue.js';

interface Deps extends QueueDeps {
  collections: Pick<Collections, 'imports' | 'importFiles' | 'pieces'>;
}

/** A file that was checked. If it is taken, its upload is stored under `uploadId`. */
interface Checked extends ImportedFile {
  uploadId: string;
  bytes: number;
}

/** The most files of one form. */
const MOST_FILES = 1_000;
const LONGEST_NAME = 255;

/** How many uploads a process reads at once. Each takes about 20 MB while its client sends slowly. */
const MOST_UPLOADS = 16;
/** The most of one caller. A client may be slow, so it must leave some for others. */
const UPLOADS_OF_ONE = 8;

/**
 * POST /admin/import: checks each file while it stores it, and files a job for each file that is taken. Where an upload
 * does not arrive whole, nothing of it is kept. Throws VALIDATION_ERROR where no file can be taken, PAYLOAD_TOO_LARGE
 * and UNAVAILABLE, also where too many uploads are under way.
 */
export function importExport(deps: Deps): Handler<unknown, unknown, RawBody> {
  const uploads = new Turns({ inAll: MOST_UPLOADS, refusal: tooMany });
  return async ({ body, caller }) => {
    await requireQueue(deps);
    // The gate has refused requests without a caller.
    const { id, recheck } = caller!;
    const files = await uploads.take(id, UPLOADS_OF_ONE, () => readFiles(deps, body, recheck));
    refuseWhenNoneIsTaken(files);
    const importId = await enterImport(deps, files);
    const shown = files.map(({ uploadId: _id, bytes: _bytes, ...file }) => file);
    return jsonAnswer({ ...queuedJob(importJobId(importId)), files: shown });
  };
}

function tooMany(): Unavailable {
  return new Unavailable('Too many uploads are under way; try again soon', 5);
}

/** Reads the files of a body. Then it checks the caller's credential again, because an upload may take hours. */
async function readFiles(
  deps: Deps,
  body: RawBody,
  recheck: () => Promise<void>,
): Promise<Checked[]> {
  const files: Checked[] = [];
  try {
    if (body.contentType === 'multipart/form-data') await readForm(deps, body, files);
    else files.push(await checkFile(deps, 'upload.json', body.stream));
    await recheck();
  } catch (error) {
    await discard(deps, files);
    throw error;
  }
  return files;
}

async function checkFile({ collections }: Deps, name: string, source: Readable): Promise<Checked> {
  const uploadId = newUploadId();
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    // Where the file is not taken, this loop ends early. The stream stays open, so that the rest of the form can be
    // read.
    for await (const piece of source.iterator({ destroyOnReturn: false })) {
      bytes += (piece as Buffer).length;
      yield piece as Buffer;
    }
  }
  const verdict = await storeChecked(collections, uploadId, counted());
  const about = { name: name.slice(0, LONGEST_NAME), uploadId, bytes };
  if (!('reason' in verdict)) return { ...about, state: 'queued' };
  const { kind, reason } = verdict;
  const at = 'at' in verdict ? verdict.at : undefined;
  return { ...about, state: kind, reason, ...(at === undefined ? {} : { at }) };
}

/** Reads the files of a form one after the other, in the order of the form. */
async function readForm(deps: Deps, body: RawBody, files: Checked[]): Promise<void> {
  const form = openForm(body);
  let last: Promise<void> = Promise.resolve();
  const parsed = new Promise<void>((resolve, reject) => {
    form.on('file', (_field, stream, { filename }) => {
      // Where a form is cut off, its file emits an error, even if nobody reads that file yet, or any more.
      stream.on('error', () => undefined);
      last = last.then(async () => {
        files.push(await checkFile(deps, filename || 'upload.json', stream));
        // Skips the rest of a file that is not taken, so that the next file comes.
        stream.resume();
      });
      last.catch(reject);
    });
    form.on('filesLimit', () => reject(refusal(`A form holds at most ${MOST_FILES} files`)));
    form.on('error', () => reject(refusal('The form is damaged')));
    form.on('close', resolve);
    // Unlike an error listener, `finished` also reports a stream that has failed before.
    finished(body.stream, { writable: false }, (error) => {
      if (error) reject(error);
    });
  });
  body.stream.pipe(form);
  try {
    await parsed;
    await last;
  } catch (error) {
    form.destroy();
    await last.catch(() => undefined);
    throw error;
  }
}

function openForm({ headers }: RawBody): busboy.Busboy {
  try {
    return busboy({
      headers,
      // Browsers and curl send the names of files in UTF-8, but the library's default is Latin-1.
      defParamCharset: 'utf8',
      limits: { files: MOST_FILES, fields: 100, fieldSize: 1_024 },
    });
  } catch {
    throw refusal('The form is damaged');
  }
}

function refusal(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message, { details: [{ path: 'body', message }] });
}

function refuseWhenNoneIsTaken(files: readonly Checked[]): void {
  if (files.some(({ state }) => state === 'queued')) return;
  if (files.length === 0) throw refusal('The form holds no file');
  const details = files.map(({ name, reason = '', at }) => ({
    path: name,
    message: at === undefined ? reason : `${reason} (at ${at})`,
  }));
  const [first] = details;
  throw new AppError('VALIDATION_ERROR', `Nothing can be imported: ${first!.message}`, { details });
}

async function discard({ collections }: Deps, files: readonly Checked[]): Promise<void> {
  for (const { uploadId, state } of files) {
    if (state === 'queued') await deleteUpload(collections, uploadId);
  }
}

/**
 * Stores the records first, and then files the jobs. Where the queue fails in between, the indexer files the other jobs
 * later. The queue is not asked again then: for each of many files, the caller could wait as long as for the first one.
 */
async function enterImport(deps: Deps, files: readonly Checked[]): Promise<string> {
  const { imports, importFiles } = deps.collections;
  const importId = newUploadId();
  const taken = files.filter(({ state }) => state === 'queued');
  const now = new Date();
  await imports.insertOne({ _id: importId, createdAt: now, files: taken.length });
  await importFiles.insertMany(
    taken.map(({ uploadId, name, bytes }) => ({
      _id: uploadId,
      importId,
      name,
      bytes,
      state: 'queued' as const,
      queuedAt: now,
    })),
  );
  try {
    for (const { uploadId } of taken) {
      await deps.producer.add('import-file', { uploadId, importId });
    }
  } catch {
    // The files are stored, so the import is accepted.
  }
  return importId;
}
