import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { COMPRESS_FROM, identityOf, withGzip, type Answer } from '../answer.js';
import { limitStreams } from './downloads.js';
import { entityTag } from './entityTag.js';
import { chooseEncoding, type Encoding } from './negotiate.js';

/** The Cache-Control header of an answer that anybody may read. */
const PUBLIC = 'public, max-age=1, stale-while-revalidate=10';
/**
 * The Cache-Control header of a file. Caches have to revalidate it before each use, because it may be deleted by then.
 */
const REVALIDATED = 'no-cache';
/**
 * A body with more uncompressed bytes is decompressed while the client reads it, and not as a whole. Otherwise, clients
 * that do not read could fill the memory.
 */
const INFLATE_WHOLE = 262_144;
/** Opens streams of bodies. Each takes about 3 MB of memory while its client does not read. */
const openStream = limitStreams({ inAll: 64, ofOne: 16 });

/** An answer in the encoding for one client. In lists of headers, names and values alternate. */
export interface Form {
  /** The quoted entity tag. */
  etag: string;
  /** Headers of the response, also where it is a 304. */
  headers: readonly string[];
  /** Further headers of the response, unless it is a 304. */
  content: readonly string[];
  /** How many bytes the body has; undefined where that is not known before it is sent. */
  length: number | undefined;
  /** The body, or a function that makes it. */
  body: Buffer | MakeBody;
}

/**
 * Makes the body for a client, which is named for the limit of streams. A stream of a stored body begins at its start
 * in each call. Rejects with UNAVAILABLE where too many bodies are streamed.
 */
export type MakeBody = (client: string) => Readable | Buffer | Promise<Readable | Buffer>;

/** The form of an answer for a request. Returns a promise where a long answer has to be compressed first. */
export function formOf(
  { headers: asked }: Pick<IncomingMessage, 'headers'>,
  answer: Answer,
  cacheControl = answer.noStore ? 'no-store' : PUBLIC,
): Form | Promise<Form> {
  if (answer.file) return fileForm(answer, answer.file);
  const encoding = chooseEncoding(asked['accept-encoding'], isGzipOffered(answer));
  if (encoding === 'identity') return identityForm(answer, cacheControl);
  if (answer.gzip ?? answer.openGzip) return gzipForm(answer, cacheControl);
  const packed = withGzip(answer);
  if (!(packed instanceof Promise)) return gzipForm(packed, cacheControl);
  return packed.then((whole) => gzipForm(whole, cacheControl));
}

function fileForm(answer: Answer, { type, bytes, range }: NonNullable<Answer['file']>): Form {
  const { etag, length, headers = {} } = answer;
  const tag = entityTag(etag, 'identity');
  return {
    etag: tag,
    length,
    body: () => bytes,
    headers: ['ETag', tag, 'Cache-Control', REVALIDATED, ...Object.entries(headers).flat()],
    content: [
      ...['Content-Type', type, 'Content-Length', String(length), 'Accept-Ranges', 'bytes'],
      ...(range === undefined ? [] : ['Content-Range', range]),
    ],
  };
}

function identityForm(answer: Answer, cacheControl: string): Form {
  const { etag, length, identity } = answer;
  const tag = entityTag(etag, 'identity');
  return {
    etag: tag,
    headers: headersOf(answer, tag, cacheControl),
    content: contentOf('identity', length),
    length,
    body: identity ?? ((client) => makeIdentity(answer, client)),
  };
}

function gzipForm(answer: Answer, cacheControl: string): Form {
  const { etag, gzip, openGzip } = answer;
  const length = gzip?.length;
  const tag = entityTag(etag, 'gzip');
  return {
    etag: tag,
    headers: headersOf(answer, tag, cacheControl),
    content: contentOf('gzip', length),
    length,
    body: gzip ?? ((client) => openStream(client, openGzip!)),
  };
}

/** Whether the body of an answer has to be decompressed as a whole before it can be sent to a client. */
export function isInflatedFor({ headers }: IncomingMessage, answer: Answer): boolean {
  if (answer.identity || !answer.gzip || answer.length > INFLATE_WHOLE) return false;
  return chooseEncoding(headers['accept-encoding'], isGzipOffered(answer)) === 'identity';
}

/** Whether an answer is sent as gzip to clients that accept gzip. */
function isGzipOffered({ gzip, openGzip, length }: Answer): boolean {
  return Boolean(gzip ?? openGzip) || length >= COMPRESS_FROM;
}

function headersOf({ headers: own }: Answer, tag: string, cacheControl: string): string[] {
  const headers = ['ETag', tag, 'Cache-Control', cacheControl];
  return own ? headers.concat(Object.entries(own).flat()) : headers;
}

function contentOf(encoding: Encoding, length: number | undefined): string[] {
  const content = ['Content-Type', 'application/json; charset=utf-8'];
  if (encoding === 'gzip') content.push('Content-Encoding', 'gzip');
  if (length !== undefined) content.push('Content-Length', String(length));
  return content;
}

function makeIdentity(answer: Answer, client: string): Promise<Readable | Buffer> {
  const { gzip, length } = answer;
  const openGzip =
    answer.openGzip ?? (gzip && length > INFLATE_WHOLE && (() => Readable.from([gzip])));
  return openGzip ? openStream(client, () => expand(openGzip())) : identityOf(answer);
}

function expand(source: Readable): Readable {
  // Where decompression fails, `pipeline` destroys the returned stream with the error, and the response is cut.
  return pipeline(source, createGunzip(), () => undefined);
}
