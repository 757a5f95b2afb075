import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Context } from 'koa';
import { COMPRESS_FROM, gzipOf, identityOf, type Answer } from '../answer.js';
import { entityTag, noneMatchNames } from './entityTag.js';
import { chooseEncoding, type Encoding } from './negotiate.js';

const PUBLIC = 'public, max-age=1, stale-while-revalidate=10';
/**
 * Longer bodies (bytes) are inflated as the client reads them. A client that does not read would otherwise fill the
 * memory.
 */
const INFLATE_WHOLE = 262_144;

/** Sends an answer in the encoding that the client accepts, or 304 when the client has it already. */
export async function send(ctx: Context, answer: Answer): Promise<void> {
  const offered = Boolean(answer.gzip ?? answer.openGzip) || answer.length >= COMPRESS_FROM;
  const encoding = chooseEncoding(ctx.req.headers['accept-encoding'], offered);
  const etag = entityTag(answer.etag, encoding);
  ctx.status = answer.status ?? 200;
  ctx.vary('Accept-Encoding');
  ctx.set('ETag', etag);
  ctx.set('Cache-Control', cacheControl(ctx, answer));
  if (answer.headers) ctx.set(answer.headers);
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (isRead && ctx.status === 200 && noneMatchNames(ctx.req.headers['if-none-match'], etag)) {
    ctx.status = 304;
    return;
  }
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  if (encoding === 'gzip') ctx.set('Content-Encoding', 'gzip');
  await (ctx.method === 'HEAD' ? describeBody : sendBody)(ctx, answer, encoding);
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
