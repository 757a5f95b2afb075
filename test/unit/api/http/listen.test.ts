import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
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
