import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Answer, CacheState } from '../answer.js';
import { askerOf } from './credentials/countRequest.js';
import { cutUnread } from './downloads.js';
import { noneMatchNames } from './entityTag.js';
import { formOf } from './forms.js';
import { setAll, setLines } from './headLines.js';

/** Sends an answer in an encoding that the client accepts, or 304 where the client already has it. */
export async function send(ctx: Context, answer: Answer): Promise<void> {
  // An answer that depends on a credential must not be kept by any cache.
  const cacheControl = ctx.state['private'] ? 'private, no-store' : undefined;
  const form = await formOf(ctx.req, answer, cacheControl);
  const status = answer.status ?? 200;
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  const isNotModified =
    isRead &&
    (status === 200 || status === 206) &&
    noneMatchNames(ctx.req.headers['if-none-match'], form.etag);
  const hasBody = !isNotModified && ctx.method !== 'HEAD';
  if (!hasBody) answer.file?.bytes.destroy();
  // The body is made before any header is set. Where that fails, the error response has none of these headers.
  const made = hasBody ? form.body : undefined;
  const body = typeof made === 'function' ? await made(askerOf(ctx).name) : made;
  ctx.status = isNotModified ? 304 : status;
  setAll(ctx.res, form.headers);
  if (answer.cached) setLines(ctx.res, cacheLines(answer.cached));
  if (!isNotModified) setAll(ctx.res, form.content);
  if (body instanceof Readable) cutUnread(ctx.res);
  if (body) ctx.body = body;
}

/** The X-Cache header (HIT, MISS or BYPASS) and the X-Cache-TTL header (whole seconds left), as lines of a head. */
export function cacheLines({ state, expiresAt }: CacheState): string {
  const secondsLeft = Math.max(0, Math.ceil((expiresAt - performance.now()) / 1_000));
  return `X-Cache: ${state}\r\nX-Cache-TTL: ${secondsLeft}\r\n`;
}
