import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { listen, type Listener } from '../../../../services/api/http/listen.js';

const BODY = Buffer.alloc(4 << 20);

describe('listen', () => {
  let listener: Listener;
  let answered: (response: ServerResponse) => void;
  before(async () => {
    listener = await listen(
      (request, response) => {
        answered(response);
        response.end(request.url === '/large' ? BODY : 'x');
      },
      { host: '127.0.0.1', port: 0, graceMs: 0, idleMs: 500 },
    );
  });
  after(() => listener.drain());

  it('cuts a client that asks for a large body over and over without reading it', async () => {
    const first = new Promise<ServerResponse>((resolve) => (answered = resolve));
    const { hostname, port } = new URL(listener.url);
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => undefined);
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50));
    const again = setInterval(() => {
      if (socket.writable) socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50));
    }, 50);
    const began = Date.now();
    const response = await first;
    const { socket: served } = response.req;
    if (!served.closed) await once(served, 'close');
    clearInterval(again);
    socket.destroy();
    expect(Date.now() - began).to.be.above(400);
  });

  it('closes connections beyond the most that it takes', async () => {
    const small = await listen((_request, response) => response.end('x'), {
      ...{ host: '127.0.0.1', port: 0, graceMs: 0, connections: 2 },
    });
    const { hostname, port } = new URL(small.url);
    const open = () => connect(Number(port), hostname).on('error', () => undefined);
    /** The answer's first line; undefined where the connection is closed without one. */
    const ask = async (socket: Socket): Promise<string | undefined> => {
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      const firstLine = ([data]: unknown[]) => String(data).split('\r\n')[0];
      // It may be closed by a reset, which is an error.
      const answer = once(socket, 'data').then(firstLine, () => undefined);
      return Promise.race([answer, once(socket, 'close').then(() => undefined)]);
    };
    const sockets = [open(), open()];
    for (const socket of sockets) expect(await ask(socket)).to.equal('HTTP/1.1 200 OK');
    expect(await ask(open())).to.equal(undefined);
    for (const socket of sockets) socket.destroy();
    await small.drain();
  });

  it('lets a connection rest between requests', async () => {
    answered = () => undefined;
    const { hostname, port } = new URL(listener.url);
    const socket = connect(Number(port), hostname);
    const ask = async () => {
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      return String(((await once(socket, 'data')) as Buffer[])[0]).slice(0, 15);
    };
    expect(await ask()).to.equal('HTTP/1.1 200 OK');
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await ask()).to.equal('HTTP/1.1 200 OK');
    socket.destroy();
  });
});
