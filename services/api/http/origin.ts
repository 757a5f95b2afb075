import type { Context } from 'koa';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a page of this very service asks, or no page at all. */
export function isOwnOrigin(ctx: Context): boolean {
  const origin = ctx.get('Origin');
  return origin === '' || (URL.canParse(origin) && new URL(origin).host === ctx.get('Host'));
}

/** Whether a page that this machine serves asks, on whatever port. */
export function isLoopbackOrigin(ctx: Context): boolean {
  const origin = ctx.get('Origin');
  return URL.canParse(origin) && LOOPBACK.has(new URL(origin).hostname);
}
