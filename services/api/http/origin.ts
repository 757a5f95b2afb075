import type { Context } from 'koa';
import { parseUrl } from '../../../shared/platform/parseUrl.js';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether the request comes from a page of this service, or has no Origin header, as requests of programs. */
export function isOwnOrigin(ctx: Context): boolean {
  const origin = ctx.get('Origin');
  return origin === '' || parseUrl(origin)?.host === ctx.get('Host');
}

/** Whether the request comes from a page of a server on this machine, with any port. */
export function isLoopbackOrigin(ctx: Context): boolean {
  return LOOPBACK.has(parseUrl(ctx.get('Origin'))?.hostname ?? '');
}
