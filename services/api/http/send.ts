import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Answer, CacheState } from '../answer.js';
import { askerOf } from './credentials/countRequest.js';
import { cutUnread } from './downloads.js';
import { noneMatchNames } from './entityTag.js';
import { formOf } from './forms.js';
import { setLines } from './headLines.js';

/** Sends an answer in the encoding that the client accepts, or 304 when the client has it already. */
export async function send(ctx: Context, answer: Answer): Promise<void> {
  // An answer that depends on a credential must not be cached anywhere.
  const cacheControl = ctx.state['private'] ? 'private, no-store' : undefined;
  const form = await formOf(ctx.req, answer, cacheControl);
  ctx.status = answer.status ?? 200;
  setAll(ctx, form.headers);
  if (answer.cached) setLines(ctx.res, cacheLines(answer.cached));
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  const isHeld =
    isRead && ctx.status === 200 && noneMatchNames(ctx.req.headers['if-none-match'], form.etag);
  if (isHeld) ctx.status = 304;
  else setAll(ctx, form.content);
  if (isHeld || ctx.method === 'HEAD') {
    answer.file?.bytes.destroy();
    return;
  }
  const body = form.body ?? (await form.open(askerOf(ctx).name));
  if (body instanceof Readable) cutUnread(ctx.res);
  ctx.body = body;
}

function setAll(ctx: Context, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) ctx.set(headers[at]!, headers[at + 1]!);
}

/** The X-Cache header (HIT, MISS or BYPASS) and X-Cache-TTL (whole seconds left), as lines of a head. */
export function cacheLines({ state, expiresAt }: CacheState): string {
  const secondsLeft = Math.max(0, Math.ceil((expiresAt - Date.now()) / 1_000));
  return `X-Cache: ${state}\r\nX-Cache-TTL: ${secondsLeft}\r\n`;
}
