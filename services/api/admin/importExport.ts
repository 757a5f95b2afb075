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

/** A file that was checked. In the state `queued`, it is taken, and its upload is stored under `uploadId`. */
interface Checked extends ImportedFile {
  uploadId: string;
  bytes: number;
}

/** The most files of one form. */
const MOST_FILES = 1_000;
/** How many characters of a file's name are kept. */
const LONGEST_NAME = 255;

/**
 * How many uploads a process reads at once. Each takes up to about 30 MB of memory, for as long as its client sends.
 */
const MOST_UPLOADS = 16;
/** How many of these may belong to one caller. With all of them, a slow caller would keep others from uploading. */
const UPLOADS_OF_ONE = 8;
/** How long an upload waits until it may be read (ms). */
const LONGEST_WAIT_MS = 2_000;

/**
 * POST /admin/import: checks each file while it is stored, and files a job for each file that is taken. Where a request
 * does not arrive whole, none of its files is kept. Throws VALIDATION_ERROR where no file can be taken,
 * PAYLOAD_TOO_LARGE, and UNAVAILABLE, which also means that too many uploads are under way.
 */
export function importExport(deps: Deps): Handler<unknown, unknown, RawBody> {
  const limits = { inAll: MOST_UPLOADS, waitMs: LONGEST_WAIT_MS, refusal: tooMany };
  const uploads = new Turns(limits);
  return async ({ body, caller }) => {
    await requireQueue(deps);
    // There is a caller, because the gate has refused all other requests.
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

/**
 * Checks and stores the files of a body. Then it checks the caller's credential again, because an upload may take
 * hours. Where anything fails, it removes what it has stored.
 */
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
    // Where the file is not taken, this loop is ended early. The stream must stay open then, so that the caller can
    // skip the rest of the file.
    for await (const chunk of source.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Buffer).length;
      yield chunk as Buffer;
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
      // Where a form is cut off, the stream of its file emits an error. Nobody may be reading that stream, and without
      // this listener, the error would end the process.
      stream.on('error', () => reject(refusal('The form is damaged')));
      last = last.then(async () => {
        files.push(await checkFile(deps, filename || 'upload.json', stream));
        // Skips the rest of a file that is not taken. Only then the parser goes on to the next file.
        stream.resume();
      });
      last.catch(reject);
    });
    form.on('filesLimit', () => reject(refusal(`A form holds at most ${MOST_FILES} files`)));
    form.on('error', () => reject(refusal('The form is damaged')));
    form.on('close', resolve);
    // The stream may have failed already. Unlike a listener for its errors, `finished` also reports that.
    finished(body.stream, { writable: false }, (error) => {
      if (error) reject(error);
      // Once the parser has taken this empty piece, it has taken all bytes before it. A file that has not ended by then
      // stands behind the end of the form. The parser would wait for its end for ever, so it is destroyed, not ended.
      else form.write('', () => form.destroy());
    });
  });
  body.stream.pipe(form, { end: false });
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
 * Records an import and its files, and then files a job for each file. Where the queue fails meanwhile, the indexer
 * files the other jobs later. They are not tried here, because each of them could take as long to fail as the first
 * one. Returns the id of the import.
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
    // The files are recorded, so the indexer will import them.
  }
  return importId;
}
