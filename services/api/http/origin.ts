import type { Context } from 'koa';
import { parseUrl } from '../../../shared/platform/parseUrl.js';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** IP addresses, and host names that no site of the public web can have. */
const LOCAL_HOST = /^(?:[^.]+|(?:[^.]+\.)+(?:localhost|local|internal)|[\d.]+|\[[\da-f:.]+\])$/i;

/**
 * Whether the Host header is an IP address or a name outside the public DNS. The owner of a site could make any other
 * name point to this machine, and so make their pages count as pages of this service (DNS rebinding).
 */
export function isLocalHost(ctx: Context): boolean {
  return LOCAL_HOST.test(parseUrl(`http://${ctx.get('Host')}`)?.hostname ?? '');
}

/** Whether the request comes from a page of this service, or has no Origin header, as requests of programs. */
export function isOwnOrigin(ctx: Context): boolean {
  const origin = ctx.get('Origin');
  return origin === '' || parseUrl(origin)?.host === ctx.get('Host');
}

/** Whether the request comes from a page of a server on this machine, with any port. */
export function isLoopbackOrigin(ctx: Context): boolean {
  return LOOPBACK.has(parseUrl(ctx.get('Origin'))?.hostname ?? '');
}
