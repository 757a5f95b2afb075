import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileFacts } from '../../../shared/mirror/mirrorFiles.js';
import { followSignal } from '../../../shared/platform/followSignal.js';
import { isTimeLimit } from '../../../shared/platform/storeErrors.js';
import { mediaType, type Mirror } from './mirror.js';

/** A file that has arrived. */
export interface ArrivedFile extends FileFacts {
  path: string;
  sha256: string;
}

/** A request for a file. */
export interface FileRequest {
  /** The path below the platform's address for files, with its signature. */
  path: string;
  /** How many bytes the file has at least. A file that arrives with fewer bytes was cut off. */
  bytes: number;
  /** Whether files of a type are wanted. */
  takes: (type: string) => boolean;
  /** Ends the request. */
  signal: AbortSignal;
}

/** A file cannot be copied. Trying again would not help. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
}

/** The platform asks for a pause (ms), in which no file is fetched. */
export class FilesLimited extends Error {
  override readonly name = 'FilesLimited';
  readonly waitMs: number;

  constructor(waitMs: number) {
    super('The platform asks to wait');
    this.waitMs = waitMs;
  }
}

/** A file that has not arrived whole after this time (ms) is given up for now. */
const LONGEST_MS = 300_000;
const USUAL_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 3_600_000;
const TYPE = /^[\w.+-]+\/[\w.+-]+$/;
const GONE = new Set([404, 410]);

/**
 * Fetches a file of the platform into the folder in which files arrive. It never reads more bytes than a file may have,
 * whatever length the platform tells. Throws FileRefused or FilesLimited. After any other error, it may succeed later.
 */
export async function fetchFile(
  mirror: Pick<Mirror, 'files' | 'cdnUrl' | 'maxFileBytes'>,
  request: FileRequest,
  timeoutMs = LONGEST_MS,
): Promise<ArrivedFile> {
  const fetching = followSignal(request.signal, timeoutMs);
  try {
    return await fetchUntil(fetching.signal, mirror, request);
  } catch (error) {
    // This error is replaced, because elsewhere it says that a store does not answer.
    if (isTimeLimit(error)) throw new Error(`It did not arrive in ${timeoutMs / 1_000} seconds`);
    throw error;
  } finally {
    fetching.end();
  }
}

async function fetchUntil(
  signal: AbortSignal,
  { files, cdnUrl, maxFileBytes }: Pick<Mirror, 'files' | 'cdnUrl' | 'maxFileBytes'>,
  { path, bytes: least, takes }: Omit<FileRequest, 'signal'>,
): Promise<ArrivedFile> {
  // Redirects are not followed, so that only the platform is asked.
  const response = await fetch(`${cdnUrl}${path}`, { redirect: 'manual', signal });
  try {
    refuse(response);
    const type = mediaType(response.headers.get('Content-Type'));
    if (Number(response.headers.get('Content-Length')) > maxFileBytes) throw tooLarge();
    const target = join(files.incoming, randomUUID());
    // An answer with the status 200 has a body, if only an empty one.
    const arrived = await receive(response.body!, target, maxFileBytes);
    const isTaken = TYPE.test(type) && takes(type);
    if (isTaken && arrived.bytes >= least) return { ...arrived, path: target, type };
    await rm(target, { force: true });
    if (isTaken) throw new Error(`Only ${arrived.bytes} of ${least} bytes arrived`);
    const problem = `Its type is ${type || 'not told'}`;
    // Files of other types are not asked for. So something else may have come in place of the file, such as a page with
    // which a proxy says that it cannot reach the platform. But what has as many bytes as the file is the file: exports
    // tell no types, so its type was guessed from its name.
    throw arrived.bytes === least ? new FileRefused(problem) : new Error(problem);
  } finally {
    if (!response.bodyUsed) await response.body?.cancel();
  }
}

function refuse({ status, headers }: Response): void {
  if (status === 200) return;
  if (GONE.has(status)) throw new FileRefused('The platform does not have it any more');
  if (status === 429) {
    const seconds = Number(headers.get('Retry-After') ?? NaN);
    const waitMs = seconds > 0 ? seconds * 1_000 : USUAL_WAIT_MS;
    throw new FilesLimited(Math.min(waitMs, LONGEST_WAIT_MS));
  }
  // Any other status may come from a proxy, or from an outage, and says nothing about the file.
  throw new Error(`The platform answers ${status}`);
}

async function receive(
  body: AsyncIterable<Uint8Array>,
  path: string,
  maxBytes: number,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  const counter = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      hash.update(piece);
      if (bytes > maxBytes) done(tooLarge());
      else done(null, piece);
    },
  });
  const out = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  const closed = new Promise<void>((resolve) => out.once('close', resolve));
  try {
    await pipeline(body, counter, out);
    return { bytes, sha256: hash.digest('hex') };
  } catch (error) {
    // The file may not have been opened yet. It would then appear after its removal.
    await closed;
    await rm(path, { force: true });
    throw error;
  }
}

function tooLarge(): FileRefused {
  return new FileRefused('It is larger than MIRROR_MAX_FILE_MB');
}
