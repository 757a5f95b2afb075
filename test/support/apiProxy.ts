import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface PausableProxy {
  port: number;
  /** From now on nothing passes, and no connection breaks: a frozen server. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** A TCP proxy to a store, that can freeze. */
export async function startProxy(target: { host: string; port: number }): Promise<PausableProxy> {
  const sockets = new Set<Socket>();
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
      from.on('data', (data) => to.write(data));
      from.on('close', () => to.destroy());
      if (frozen) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
