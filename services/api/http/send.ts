import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Context } from 'koa';
import { COMPRESS_FROM, gzipOf, identityOf, type Answer, type CacheState } from '../answer.js';
import { entityTag, noneMatchNames } from './entityTag.js';
import { chooseEncoding, type Encoding } from './negotiate.js';

/** The Cache-Control of what anybody may read. */
export const PUBLIC = 'public, max-age=1, stale-while-revalidate=10';
/**
 * Longer bodies (bytes) are inflated as the client reads them. A client that does not read would otherwise fill the
 * memory.
 */
const INFLATE_WHOLE = 262_144;

/** Sends an answer in the encoding that the client accepts, or 304 when the client has it already. */
export async function send(ctx: Context, answer: Answer): Promise<void> {
  const encoding = chooseEncoding(ctx.req.headers['accept-encoding'], isGzipOffered(answer));
  const etag = entityTag(answer.etag, encoding);
  ctx.status = answer.status ?? 200;
  ctx.set('ETag', etag);
  ctx.set('Cache-Control', cacheControl(ctx, answer));
  if (answer.headers) ctx.set(answer.headers);
  if (answer.cached) ctx.set(Object.fromEntries(cacheHeaders(answer.cached)));
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (isRead && ctx.status === 200 && noneMatchNames(ctx.req.headers['if-none-match'], etag)) {
    ctx.status = 304;
    return;
  }
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  if (encoding === 'gzip') ctx.set('Content-Encoding', 'gzip');
  await (ctx.method === 'HEAD' ? describeBody : sendBody)(ctx, answer, encoding);
}

/** Whether an answer has to be inflated as a whole to be sent to a client. */
export function isInflatedFor({ headers }: IncomingMessage, answer: Answer): boolean {
  if (answer.identity || !answer.gzip || answer.length > INFLATE_WHOLE) return false;
  return chooseEncoding(headers['accept-encoding'], isGzipOffered(answer)) === 'identity';
}

/** Whether clients that take gzip get this answer as gzip. */
export function isGzipOffered({ gzip, openGzip, length }: Answer): boolean {
  return Boolean(gzip ?? openGzip) || length >= COMPRESS_FROM;
}

/** Names and values of the headers that tell what the cache did, and for how many whole seconds the answer is used yet. */
export function cacheHeaders({ state, expiresAt }: CacheState): [string, string][] {
  const secondsLeft = Math.max(0, Math.ceil((expiresAt - Date.now()) / 1_000));
  return [
    ['X-Cache', state],
    ['X-Cache-TTL', String(secondsLeft)],
  ];
}

/** An answer that depends on a credential (`private` in the state) must not be cached anywhere. */
function cacheControl(ctx: Context, answer: Answer): string {
  if (ctx.state['private']) return 'private, no-store';
  return answer.noStore ? 'no-store' : PUBLIC;
}

async function sendBody(ctx: Context, answer: Answer, encoding: Encoding): Promise<void> {
  if (encoding === 'gzip') {
    ctx.body = answer.openGzip?.() ?? (await gzipOf(answer));
    return;
  }
  const packed = openPacked(answer);
  if (packed) ctx.length = answer.length;
  ctx.body = packed ? expand(packed) : await identityOf(answer);
}

/** The gzip form of a body that is to be inflated as a stream; undefined where it may be held whole. */
function openPacked({ openGzip, gzip, identity, length }: Answer): Readable | undefined {
  if (openGzip) return openGzip();
  return gzip && !identity && length > INFLATE_WHOLE ? Readable.from([gzip]) : undefined;
}

/** Sets the length that GET would send, where it is known without making the body. */
async function describeBody(ctx: Context, answer: Answer, encoding: Encoding): Promise<void> {
  if (encoding === 'identity') ctx.length = answer.length;
  else if (!answer.openGzip) ctx.length = (await gzipOf(answer)).length;
}

function expand(source: Readable): Readable {
  // An error destroys the last stream too. Its reader then cuts the connection.
  return pipeline(source, createGunzip(), () => undefined);
}
