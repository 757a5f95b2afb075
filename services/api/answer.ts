import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip, gzip, gzipSync } from 'node:zlib';

const compress = promisify(gzip);
const expand = promisify(gunzip);

/**
 * What a handler returns: a finished JSON body, uncompressed (`identity`), compressed (`gzip` or `openGzip`), or both.
 * Or it returns a file.
 */
export interface Answer {
  /** The strong entity tag of the uncompressed body, without quotes. */
  etag: string;
  /** How many bytes the uncompressed body has. */
  length: number;
  identity?: Buffer;
  gzip?: Buffer;
  /** Opens the compressed form of a body that is too large to hold in memory. Each call begins at its start. */
  openGzip?: () => Readable;
  /** HTTP status; 200 when absent. */
  status?: number;
  headers?: Record<string, string>;
  /** True where no cache may keep the answer. */
  noStore?: boolean;
  /**
   * A file to send in place of JSON: its media type and its bytes. Whoever does not send it destroys the stream. `range`
   * is the Content-Range header where the bytes are only a part.
   */
  file?: { type: string; bytes: Readable; range?: string };
  /** What X-Cache and X-Cache-TTL tell. Without it, the response has neither header. */
  cached?: CacheState;
}

/** Whether an answer came from a cache of this service, and how long that cache keeps it. */
export interface CacheState {
  /** BYPASS means that the cache was not available. */
  state: 'HIT' | 'MISS' | 'BYPASS';
  /**
   * When the cached answer expires, as a time of `performance.now()`. Unlike the system clock, nobody can set that
   * back. It is 0 where the answer must not be cached.
   */
  expiresAt: number;
}

/** Bodies with fewer bytes are not worth compressing. */
export const COMPRESS_FROM = 1_024;

/**
 * Bodies of at most so many bytes are compressed synchronously. This costs half as much as handing them to another
 * thread. It blocks the event loop for some tenths of a millisecond at most.
 */
const COMPRESSED_AT_ONCE = 32_768;
const PACKING = { level: 4 };

/** An answer whose body is this JSON text, or this value as JSON. */
export function jsonAnswer(json: string | object): Answer {
  return bytesAnswer(Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)));
}

/** An answer whose body is this JSON, in UTF-8. */
export function bytesAnswer(json: Buffer): Answer {
  const etag = createHash('sha1').update(json).digest('base64url');
  return { etag, length: json.length, identity: ownBytes(json) };
}

/** Adds the compressed form to an answer that lacks it and has at least COMPRESS_FROM bytes. */
export function compressed(answer: Answer): Answer | Promise<Answer> {
  if (answer.gzip || answer.openGzip || answer.length < COMPRESS_FROM) return answer;
  return withGzip(answer);
}

/**
 * Returns bytes that share their memory with no others, and copies them where needed. Many buffers are views of a
 * larger piece of memory: of 16 kB where zlib made them, of 8 kB where they are short, and of a whole reply where
 * MongoDB sent them. Without the copy, the response cache would keep each whole piece alive.
 */
export function ownBytes(bytes: Uint8Array): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return Buffer.from(bytes.buffer);
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}

/** Adds the compressed form to an answer that has only the uncompressed one. */
export function withGzip(answer: Answer): Answer | Promise<Answer> {
  const packed = pack(answer.identity!);
  if (!(packed instanceof Promise)) return { ...answer, gzip: packed };
  return packed.then((gzip) => ({ ...answer, gzip }));
}

/** Adds the uncompressed form to an answer whose body is held in memory. */
export async function withIdentity(answer: Answer): Promise<Answer> {
  return { ...answer, identity: await identityOf(answer) };
}

/** Compresses bytes by gzip. Returns a promise where there are more than COMPRESSED_AT_ONCE. */
export function pack(bytes: Buffer): Buffer | Promise<Buffer> {
  if (bytes.length > COMPRESSED_AT_ONCE) return compress(bytes, PACKING).then(ownBytes);
  return ownBytes(gzipSync(bytes, PACKING));
}

/** The uncompressed body of an answer. Rejects where the body is not held in memory. */
export async function identityOf(answer: Answer): Promise<Buffer> {
  return answer.identity ?? ownBytes(await expand(answer.gzip ?? Buffer.alloc(0)));
}
