import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';

const LOOPBACK = '127.0.0.1';

/** Whether a port of the loopback address is free to listen on. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host: LOOPBACK, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/**
 * The first and the last port that `freePort` gives out. Some time passes after `freePort` has chosen a port and before
 * the server listens there. Meanwhile the system gives ports to programs that open a connection, or that listen on any
 * port. It gives them higher ports than these, so none of them takes the chosen one. Lower ports are left out, because
 * clients that follow the Fetch standard refuse some of them, such as 10080.
 */
const [FIRST, LAST] = [11_000, 19_999];
/** The port that was given out last. Each process begins elsewhere. */
let last = randomInt(FIRST, LAST + 1);

/** The wanted port of the loopback address where it is free, else another one, of which each is given out in turn. */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && (await isPortFree(wanted))) return wanted;
  for (let tries = FIRST; tries <= LAST; tries += 1) {
    last = last === LAST ? FIRST : last + 1;
    const port = last;
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No port from ${FIRST} to ${LAST} of ${LOOPBACK} is free`);
}

/** The ports of URLs that name none, by scheme. */
const DEFAULT_PORTS: Partial<Record<string, number>> = {
  'mongodb:': 27_017,
  'redis:': 6_379,
  'rediss:': 6_379,
  'http:': 80,
  'https:': 443,
};

/** A host and a port to connect to. */
export interface Endpoint {
  host: string;
  port: number;
}

/** The endpoints of a store's URL, or of a list of URLs (Elasticsearch). A URL of MongoDB may name several hosts. */
export function endpointsOf(urls: string): Endpoint[] {
  const hosts = /^mongodb:\/\/(?:[^/?]*@)?([^/?]+)/.exec(urls)?.[1];
  const each =
    hosts?.split(',').map((host) => `mongodb://${host}`) ?? urls.split(/,(?=\s*https?:)/);
  return each.map((one) => {
    const { protocol, hostname, port } = new URL(one);
    // In a URL, an IPv6 address stands in brackets.
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    return { host, port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0) };
  });
}

/**
 * Whether something accepts connections within a second at one of the endpoints of a URL, or of a list of URLs. Only
 * the DNS knows the hosts of a `mongodb+srv` URL. So these are not tried, and count as reachable.
 */
export async function isReachable(urls: string): Promise<boolean> {
  if (urls.startsWith('mongodb+srv:')) return true;
  return (await Promise.all(endpointsOf(urls).map(accepts))).includes(true);
}

async function accepts({ host, port }: Endpoint): Promise<boolean> {
  const socket = connect({ host, port, timeout: 1000 });
  try {
    await Promise.race([
      once(socket, 'connect'),
      once(socket, 'timeout')
        // This process may have stood still. So what has arrived meanwhile counts first.
        .then(() => setImmediate())
        .then(() => Promise.reject(new Error('No answer'))),
    ]);
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
