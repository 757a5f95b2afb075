import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

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

/** A body built for this request, of JSON text or of a value. */
export function jsonAnswer(json: string | object): Answer {
  const identity = Buffer.from(typeof json === 'string' ? json : JSON.stringify(json));
  const etag = createHash('sha1').update(identity).digest('base64url');
  return { etag, length: identity.length, identity };
}

/** The same answer with its gzip form made, where that is worth it. */
export async function compressed(answer: Answer): Promise<Answer> {
  if (answer.gzip || answer.openGzip || answer.length < COMPRESS_FROM) return answer;
  return { ...answer, gzip: await gzipOf(answer) };
}

/** The same answer with its identity form made. */
export async function withIdentity(answer: Answer): Promise<Answer> {
  return { ...answer, identity: await identityOf(answer) };
}

/** The whole gzip form of an answer that is not a large one. */
export async function gzipOf(answer: Answer): Promise<Buffer> {
  return answer.gzip ?? (await compress(answer.identity ?? Buffer.alloc(0), { level: 4 }));
}

/** The whole identity form of an answer that is not a large one. */
export async function identityOf(answer: Answer): Promise<Buffer> {
  return answer.identity ?? (await expand(answer.gzip ?? Buffer.alloc(0)));
}
