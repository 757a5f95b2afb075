import type { Context } from 'koa';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Names that no site of the open web can have, and addresses: what a browser asks of them is meant for them. */
const LOCAL_HOST = /^(?:[^.]+|[^.]+\.(?:localhost|local|internal)|[\d.]+|\[[\da-f:.]+\])$/i;

/** Whether what was asked for is no name that a site's owner could have pointed at this machine (DNS rebinding). */
export function isLocalHost(ctx: Context): boolean {
  const url = `http://${ctx.get('Host')}`;
  return URL.canParse(url) && LOCAL_HOST.test(new URL(url).hostname);
}

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
