import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../services/local/ports.js';

export interface PausableProxy {
  port: number;
  /** From now on nothing passes, and no connection breaks, as with a frozen server. */
  freeze(): void;
  thaw(): void;
  /** The open connections fall silent for good, but do not break, as when a firewall forgets them. New ones work. */
  strand(): void;
  /** From now on connections are cut and refused, as when a server is gone. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** The URL of a store by the address (`host:port`) of a proxy in front of it. User and password stay. */
export function urlAt(url: string, address: string): string {
  return Object.assign(new URL(url), { host: address }).href;
}

/** The URL of a store through a proxy of this machine in front of it. */
export function urlThrough(url: string, { port }: Pick<PausableProxy, 'port'>): string {
  return urlAt(url, `127.0.0.1:${port}`);
}

/** A TCP proxy in front of a store that can freeze and break connections. */
export async function startProxy(target: { host: string; port: number }): Promise<PausableProxy> {
  const sockets = new Set<Socket>();
  const stranded = new WeakSet<Socket>();
  let frozen = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    if (frozen) socket.pause();
    return socket;
  };
  const server = createServer((client) => {
    const upstream = keep(connect(target));
    keep(client);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (data) => stranded.has(from) || to.write(data));
      from.on('close', () => to.destroy());
      if (frozen) from.pause();
    }
  });
  const listen = (at: number): Promise<void> =>
    new Promise((resolve) => server.listen(at, '127.0.0.1', resolve));
  const close = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  // Nobody else is given this port while the proxy is cut.
  const port = await freePort();
  await listen(port);
  return {
    port,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    strand() {
      for (const socket of sockets) stranded.add(socket);
    },
    cut: close,
    mend: () => listen(port),
    close,
  };
}
