import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip, gzip, gzipSync } from 'node:zlib';

const compress = promisify(gzip);
const expand = promisify(gunzip);

/** What a handler returns: a finished JSON body in at least one of its forms. */
export interface Answer {
  /** Strong entity tag of the identity form, without quotes. */
  etag: string;
  /** Bytes of the identity form. */
  length: number;
  identity?: Buffer;
  gzip?: Buffer;
  /** The gzip form of a body too large to hold at once; each call begins anew. */
  openGzip?: () => Readable;
  /** HTTP status; 200 when absent. */
  status?: number;
  headers?: Record<string, string>;
  /** True for what no cache may keep. */
  noStore?: boolean;
  /** A file in place of JSON: its media type, and its bytes, which are destroyed where they are not sent. */
  file?: { type: string; bytes: Readable };
  /** Set where X-Cache and X-Cache-TTL tell what this service's caches did. */
  cached?: CacheState;
}

/** What this service's caches did for an answer. */
export interface CacheState {
  state: 'HIT' | 'MISS' | 'BYPASS';
  /** When the answer must not be used any more (milliseconds since 1970); 0 for one that must not be kept. */
  expiresAt: number;
}

/** Bodies shorter than this (bytes) are not worth compressing. */
export const COMPRESS_FROM = 1_024;

/**
 * So many bytes are compressed at once: that costs half of what it costs to hand them to another thread, and keeps
 * others waiting for some tenths of a millisecond at most.
 */
const COMPRESSED_AT_ONCE = 32_768;
const PACKING = { level: 4 };

/** A body built for this request, of JSON text or of a value. */
export function jsonAnswer(json: string | object): Answer {
  return bytesAnswer(Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)));
}

/** A body built for this request, of JSON in UTF-8. */
export function bytesAnswer(json: Buffer): Answer {
  const etag = createHash('sha1').update(json).digest('base64url');
  return { etag, length: json.length, identity: ownBytes(json) };
}

/** The same answer with its gzip form made, where that is worth it. */
export function compressed(answer: Answer): Answer | Promise<Answer> {
  if (answer.gzip || answer.openGzip || answer.length < COMPRESS_FROM) return answer;
  return withGzip(answer);
}

/**
 * The same bytes in memory of their own. Many buffers are parts of a larger piece of memory: of 16 kB where zlib made
 * them, of 8 kB where they are short, of a whole reply where MongoDB sent them. The response cache keeps answers, and
 * would keep these pieces with them.
 */
export function ownBytes(bytes: Uint8Array): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return Buffer.from(bytes.buffer);
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}

/** The same answer with its gzip form made. */
export function withGzip(answer: Answer): Answer | Promise<Answer> {
  const packed = gzipOf(answer);
  if (!(packed instanceof Promise)) return { ...answer, gzip: packed };
  return packed.then((gzip) => ({ ...answer, gzip }));
}

/** The same answer with its identity form made. */
export async function withIdentity(answer: Answer): Promise<Answer> {
  return { ...answer, identity: await identityOf(answer) };
}

/** The whole gzip form of an answer that is not a large one. */
export function gzipOf({ gzip: packed, identity }: Answer): Buffer | Promise<Buffer> {
  return packed ?? pack(identity ?? Buffer.alloc(0));
}

/** Bytes compressed as answers are; a promise where they are many. */
export function pack(bytes: Buffer): Buffer | Promise<Buffer> {
  if (bytes.length > COMPRESSED_AT_ONCE) return compress(bytes, PACKING).then(ownBytes);
  return ownBytes(gzipSync(bytes, PACKING));
}

/** The whole identity form of an answer that is not a large one. */
export async function identityOf(answer: Answer): Promise<Buffer> {
  return answer.identity ?? ownBytes(await expand(answer.gzip ?? Buffer.alloc(0)));
}
