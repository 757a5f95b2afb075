import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** The name under which a client is counted: its IPv4 address, or the /64 of its IPv6 address. */
export function clientAddress(request: IncomingMessage, trustProxy: boolean): string {
  const direct = request.socket.remoteAddress ?? '';
  if (!trustProxy) return networkOf(direct);
  const forwarded = [request.headers['x-forwarded-for'] ?? ''].flat().join(',');
  // The last entry is the proxy's own; those before it are whatever the client has sent.
  const last = forwarded.slice(forwarded.lastIndexOf(',') + 1);
  const address = withoutPort(last.trim());
  return networkOf(isIP(address) ? address : direct);
}

/** An address as it is counted; whatever is no address stays as it is. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  return `${firstGroups(address.replace(/%.*$/, '')).join(':')}::/64`;
}

/** The first four groups of an IPv6 address, without leading zeros, in lower case. */
function firstGroups(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail ? tail.split(':') : [];
  const missing = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(missing).fill('0'), ...last].slice(0, 4);
  return groups.map((group) => group.replace(/^0+(?=.)/, ''));
}

/** Some proxies write `1.2.3.4:567` or `[2001:db8::1]:567`. */
function withoutPort(text: string): string {
  const match = /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text);
  return match?.[1] ?? match?.[2] ?? text;
}
