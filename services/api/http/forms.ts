import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { COMPRESS_FROM, identityOf, withGzip, type Answer } from '../answer.js';
import { limitStreams } from './downloads.js';
import { entityTag } from './entityTag.js';
import { chooseEncoding, type Encoding } from './negotiate.js';

/** The Cache-Control of an answer that anybody may read. */
const PUBLIC = 'public, max-age=1, stale-while-revalidate=10';
/**
 * A longer body (bytes) is inflated while the client reads it. Otherwise, a client that does not read would fill the
 * memory.
 */
const INFLATE_WHOLE = 262_144;
/** Limits how many bodies a process streams at once. Each takes about 3 MB while its client does not read. */
const openStream = limitStreams({ inAll: 64, ofOne: 16 });

/** An answer in the form for one client. In lists of headers, names and values alternate. */
export interface Form {
  /** The quoted entity tag. */
  etag: string;
  /** Headers of the answer, and of a 304. */
  headers: readonly string[];
  /** Further headers of the answer, but not of a 304. */
  content: readonly string[];
  /** How many bytes the body has; undefined where that is only known after they are sent. */
  length: number | undefined;
  /** The body where it is in memory, or else what makes it. */
  body: Buffer | MakeBody;
}

/**
 * Makes a body for a client. Each call begins the stream of a stored body anew. Throws UNAVAILABLE where too many
 * bodies are streamed.
 */
export type MakeBody = (client: string) => Readable | Buffer | Promise<Readable | Buffer>;

/** The form of an answer for a request. A promise where it has to be compressed first. */
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

/**
 * The Cache-Control of an answer that caches may keep, but have to revalidate before each use, as it may be gone by
 * then.
 */
const ASKED_AGAIN = 'no-cache';

function fileForm(answer: Answer, { type, bytes }: NonNullable<Answer['file']>): Form {
  const { etag, length, headers = {} } = answer;
  const tag = entityTag(etag, 'identity');
  return {
    etag: tag,
    length,
    body: () => bytes,
    headers: ['ETag', tag, 'Cache-Control', ASKED_AGAIN, ...Object.entries(headers).flat()],
    content: ['Content-Type', type, 'Content-Length', String(length)],
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

/** Whether an answer has to be inflated as a whole before it is sent to a client. */
export function isInflatedFor({ headers }: IncomingMessage, answer: Answer): boolean {
  if (answer.identity || !answer.gzip || answer.length > INFLATE_WHOLE) return false;
  return chooseEncoding(headers['accept-encoding'], isGzipOffered(answer)) === 'identity';
}

/** Whether an answer is sent as gzip to clients that take gzip. */
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
  // An error also destroys the last stream. Its reader then cuts the connection.
  return pipeline(source, createGunzip(), () => undefined);
}
