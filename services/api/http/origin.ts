import type { Context } from 'koa';
import { parseUrl } from '../../../shared/platform/parseUrl.js';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Addresses, and names that no site of the public web can have. A request with such a Host is meant for this machine.
 */
const LOCAL_HOST = /^(?:[^.]+|(?:[^.]+\.)+(?:localhost|local|internal)|[\d.]+|\[[\da-f:.]+\])$/i;

/** Whether the Host is a name that the owner of another site cannot point at this machine (DNS rebinding). */
export function isLocalHost(ctx: Context): boolean {
  return LOCAL_HOST.test(parseUrl(`http://${ctx.get('Host')}`)?.hostname ?? '');
}

/** Whether the request comes from a page of this service, or from no page. */
export function isOwnOrigin(ctx: Context): boolean {
  const origin = ctx.get('Origin');
  return origin === '' || parseUrl(origin)?.host === ctx.get('Host');
}

/** Whether the request comes from a page that this machine serves, on any port. */
export function isLoopbackOrigin(ctx: Context): boolean {
  return LOOPBACK.has(parseUrl(ctx.get('Origin'))?.hostname ?? '');
}
