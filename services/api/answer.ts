import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip, gzip, gzipSync } from 'node:zlib';

const compress = promisify(gzip);
const expand = promisify(gunzip);

/** What a handler returns: a finished JSON body in one form or both (identity, gzip). */
export interface Answer {
  /** The strong entity tag of the identity form, without quotes. */
  etag: string;
  /** How many bytes the identity form has. */
  length: number;
  identity?: Buffer;
  gzip?: Buffer;
  /** Opens the gzip form of a body that is too large to hold in memory. Each call begins at its start. */
  openGzip?: () => Readable;
  /** HTTP status; 200 when absent. */
  status?: number;
  headers?: Record<string, string>;
  /** True where no cache may keep the answer. */
  noStore?: boolean;
  /** A file in place of JSON: its media type and its bytes. The stream is destroyed where it is not sent. */
  file?: { type: string; bytes: Readable };
  /** Set where X-Cache and X-Cache-TTL tell how this service's caches took part. */
  cached?: CacheState;
}

/** How this service's caches took part in an answer. */
export interface CacheState {
  state: 'HIT' | 'MISS' | 'BYPASS';
  /**
   * When the answer must not be used any more, as a time of `performance.now()`. Unlike the clock of the machine,
   * nobody sets it back. It is 0 where the answer must not be kept at all.
   */
  expiresAt: number;
}

/** Bodies with fewer bytes are not worth compressing. */
export const COMPRESS_FROM = 1_024;

/**
 * Bodies of at most so many bytes are compressed in one call. This costs half as much as handing them to another
 * thread, and blocks this process for some tenths of a millisecond at most.
 */
const COMPRESSED_AT_ONCE = 32_768;
const PACKING = { level: 4 };

/** An answer with a body that was made for this request, given as JSON text or as a value. */
export function jsonAnswer(json: string | object): Answer {
  return bytesAnswer(Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)));
}

/** An answer with a body that was made for this request, given as JSON in UTF-8. */
export function bytesAnswer(json: Buffer): Answer {
  const etag = createHash('sha1').update(json).digest('base64url');
  return { etag, length: json.length, identity: ownBytes(json) };
}

/** Adds the gzip form to an answer where that is worth it. */
export function compressed(answer: Answer): Answer | Promise<Answer> {
  if (answer.gzip || answer.openGzip || answer.length < COMPRESS_FROM) return answer;
  return withGzip(answer);
}

/**
 * Copies bytes into memory of their own. Many buffers are parts of a larger piece of memory: of 16 kB where zlib made
 * them, of 8 kB where they are short, and of a whole reply where MongoDB sent them. Without a copy, the response cache
 * would keep these pieces together with the answers.
 */
export function ownBytes(bytes: Uint8Array): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return Buffer.from(bytes.buffer);
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}

/** Adds the gzip form to an answer that has only the identity form. */
export function withGzip(answer: Answer): Answer | Promise<Answer> {
  const packed = pack(answer.identity!);
  if (!(packed instanceof Promise)) return { ...answer, gzip: packed };
  return packed.then((gzip) => ({ ...answer, gzip }));
}

/** Adds the identity form to an answer. */
export async function withIdentity(answer: Answer): Promise<Answer> {
  return { ...answer, identity: await identityOf(answer) };
}

/** Compresses bytes as answers are compressed. Returns a promise where they are many. */
export function pack(bytes: Buffer): Buffer | Promise<Buffer> {
  if (bytes.length > COMPRESSED_AT_ONCE) return compress(bytes, PACKING).then(ownBytes);
  return ownBytes(gzipSync(bytes, PACKING));
}

/** The whole identity form of an answer whose body is held in memory. */
export async function identityOf(answer: Answer): Promise<Buffer> {
  return answer.identity ?? ownBytes(await expand(answer.gzip ?? Buffer.alloc(0)));
}
