import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import proxyAddr from 'proxy-addr';
import type { TrustedProxies } from '../../../../shared/platform/trustedProxies.js';

/**
 * Reads the name under which the client of a request is counted: its IPv4 address, or the /64 network of its IPv6
 * address.
 */
export type AddressReader = (request: IncomingMessage) => string;

/**
 * Makes a reader of clients' addresses. Each proxy appends the address that connected to it to X-Forwarded-For. So the
 * reader begins with the address of the connection, and goes on with the entries from the last to the first. The first
 * address that is not a trusted proxy is the client's.
 */
export function createAddressReader(trusted: TrustedProxies): AddressReader {
  if (trusted === false) return (request) => networkOf(peerOf(request));
  const isTrusted = trustOf(trusted);
  return (request) => {
    const trust = (address = '', hop: number) => isTrusted(withoutPort(address), hop);
    const client = withoutPort(proxyAddr(request, trust));
    return networkOf(isIP(client) ? client : peerOf(request));
  };
}

/**
 * Reads the name under which a connection is counted: the network of its other end. Undefined for a trusted proxy,
 * because its connections carry the requests of many clients.
 */
export type PeerReader = (socket: Pick<Socket, 'remoteAddress'>) => string | undefined;

/** Makes a reader of the networks of connections. */
export function createPeerReader(trusted: TrustedProxies): PeerReader {
  const isTrusted = trustOf(trusted);
  return ({ remoteAddress = '' }) =>
    isTrusted(remoteAddress, 0) ? undefined : networkOf(remoteAddress);
}

function peerOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? '';
}

function trustOf(trusted: TrustedProxies): (address: string, hop: number) => boolean {
  if (trusted === false) return () => false;
  return typeof trusted === 'number' ? (_, hop) => hop < trusted : proxyAddr.compile(trusted);
}

/** The name of an address for counting: an IPv4 address itself, or the /64 network of an IPv6 address. */
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
  const missing = 8 - first.length - last.length;
  const groups = [...first, ...Array<string>(missing).fill('0'), ...last].slice(0, 4);
  return groups.map((group) => group.replace(/^0+(?=.)/, ''));
}

/** An address without its port, which some proxies add: `1.2.3.4:567` or `[2001:db8::1]:567`. */
function withoutPort(text = ''): string {
  const match = /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text);
  return match?.[1] ?? match?.[2] ?? text;
}
