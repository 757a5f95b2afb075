import { execFileSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { until } from '../../../support/apiServer.js';
import { listen, type Listener } from '../../../../services/api/http/listen.js';
import type { Refused } from '../../../../services/api/http/reportRefusals.js';
import type { PreparedResponse } from '../../../../services/api/http/preparedResponse.js';

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

  it('cuts a client that asks for a large body over and over, but does not read', async () => {
    const first = new Promise<ServerResponse>((resolve) => (answered = resolve));
    const { hostname, port } = new URL(listener.url);
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => undefined);
    const ask = (): boolean => socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    ask();
    // With more requests, the connection could be closed because too many of them wait.
    let more = 32;
    const again = setInterval(() => {
      if (socket.writable && more > 0) ask();
      more -= 1;
    }, 25);
    const began = performance.now();
    const response = await first;
    const { socket: served } = response.req;
    if (!served.closed) await once(served, 'close');
    clearInterval(again);
    socket.destroy();
    expect(performance.now() - began).to.be.above(400);
  });

  it('handles the requests of a connection one after the other, and reads no more while some wait', async () => {
    const open: PreparedResponse[] = [];
    const urls: string[] = [];
    let most = 0;
    const held = await listen(
      ({ url = '' }, response) => {
        urls.push(url);
        most = Math.max(most, open.push(response));
      },
      { host: '127.0.0.1', port: 0, graceMs: 0 },
    );
    const { hostname, port } = new URL(held.url);
    const client = connect(Number(port), hostname);
    let received = '';
    client.on('data', (data) => (received += String(data)));
    const ask = (from: number): void => {
      const paths = Array.from({ length: 20 }, (_, n) => `/${from + n}`);
      client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    };
    const answerAll = async (count: number): Promise<void> => {
      for (let answered = 0; answered < count; answered += 1) {
        await until(() => open.length > 0);
        open.shift()!.end(`<${urls.at(-1)}>`);
      }
    };
    ask(0);
    await until(() => open[0]?.socket?.isPaused() === true);
    await answerAll(20);
    ask(20);
    await answerAll(20);
    await until(() => received.includes('</39>'));
    const all = Array.from({ length: 40 }, (_, n) => `/${n}`);
    expect(received.match(/(?<=<)[^>]+/g)).to.deep.equal(all);
    expect(urls).to.deep.equal(all);
    expect(most).to.equal(1);
    client.destroy();
    await held.drain();
  });

  it('closes a connection on which too many requests wait, and parses no more of them', async () => {
    const open: ServerResponse[] = [];
    const held = await listen((_request, response) => open.push(response), {
      host: '127.0.0.1',
      port: 0,
      graceMs: 0,
    });
    const { hostname, port } = new URL(held.url);
    let parsed = 0;
    const count = (): void => {
      parsed += 1;
    };
    subscribe('http.server.request.start', count);
    const send = (requests: number): Socket => {
      const client = connect(Number(port), hostname).on('error', () => undefined);
      client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
      return client.resume();
    };
    await once(send(2_000), 'close');
    unsubscribe('http.server.request.start', count);
    expect(parsed).to.be.above(32).and.below(40);
    let received = '';
    const client = send(33).on('data', (data) => (received += String(data)));
    await until(() => {
      for (const response of open.splice(0)) response.end();
      return received.match(/HTTP\/1.1 200/g)?.length === 33;
    });
    client.destroy();
    await held.drain();
  });

  it('notices that the client is gone where what came after its waiting requests is malformed', async function () {
    // Otherwise, the connection would stay until `idleMs`.
    this.timeout(60_000);
    const served: Socket[] = [];
    const strict = await listen(
      ({ socket }, response) => {
        served.push(socket);
        response.end('x');
      },
      { host: '127.0.0.1', port: 0, graceMs: 0, idleMs: 3_600_000 },
    );
    const { hostname, port } = new URL(strict.url);
    const client = connect(Number(port), hostname);
    client.end(`${'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3)}malformed\r\n\r\n`);
    expect(await text(client)).to.match(/^HTTP\/1\.1 400 /);
    try {
      await until(() => served.length > 0 && served.every(({ destroyed }) => destroyed));
    } finally {
      for (const socket of served) socket.destroy();
      await strict.drain();
    }
  });

  it('takes as many headers as a request may have, and refuses more', async () => {
    const served: number[] = [];
    const server = await listen(
      ({ rawHeaders }, response) => {
        served.push(rawHeaders.length / 2);
        response.end('x');
      },
      { host: '127.0.0.1', port: 0, graceMs: 0 },
    );
    const { hostname, port } = new URL(server.url);
    const refused: number[] = [];
    const count = (message: unknown): void => {
      const { request } = message as { request: IncomingMessage };
      if (request.rawHeaders.length > 400) refused.push(request.rawHeaders.length / 2);
    };
    subscribe('http.server.request.start', count);
    const ask = async (headers: number): Promise<string> => {
      const client = connect(Number(port), hostname);
      const more = 'A:\r\n'.repeat(headers - 2);
      client.write(`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`);
      return text(client);
    };
    expect(await ask(200)).to.match(/^HTTP\/1.1 200 /);
    for (const headers of [201, 1_000]) {
      const answer = await ask(headers);
      expect(answer).to.match(/^HTTP\/1.1 431 [^]*\r\nConnection: close\r\n/);
      expect(answer).to.contain('headers');
    }
    unsubscribe('http.server.request.start', count);
    expect(served).to.deep.equal([200]);
    // Those that are dropped take no memory.
    expect(Math.max(0, ...refused)).to.be.below(300);
    await server.drain();
  });

  it('reads the body of a request that had to wait', async () => {
    const whole = await listen(
      (request, response) => {
        let bytes = 0;
        request.on('data', (data: Buffer) => (bytes += data.length));
        request.on('end', () => response.end(`<${request.method} ${bytes}>`));
      },
      { host: '127.0.0.1', port: 0, graceMs: 0 },
    );
    const { hostname, port } = new URL(whole.url);
    const client = connect(Number(port), hostname);
    let received = '';
    client.on('data', (data) => (received += String(data)));
    const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY.length}\r\n\r\n`;
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3) + post);
    client.write(BODY);
    client.write('HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(client, 'close');
    const bodies = received.match(/(?<=<)[^>]+/g);
    expect(bodies).to.deep.equal(['GET 0', 'GET 0', 'GET 0', `POST ${BODY.length}`]);
    expect(received.match(/HTTP\/1.1 200/g)).to.have.length(5);
    await whole.drain();
  });

  /** The first line of the answer; undefined where the connection is closed without one. */
  async function firstLineOn(socket: Socket): Promise<string | undefined> {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const firstLine = ([data]: unknown[]) => String(data).split('\r\n')[0];
    // A reset may close it, which is an error.
    const answer = once(socket, 'data').then(firstLine, () => undefined);
    return Promise.race([answer, once(socket, 'close').then(() => undefined)]);
  }

  it('leaves connections to others while one client has as many as it may', async () => {
    const refused: Refused[] = [];
    const small = await listen((_request, response) => response.end('x'), {
      host: '127.0.0.1',
      port: 0,
      graceMs: 0,
      connectionsOfOne: 2,
      onRefused: (one) => refused.push(one),
      peerOf: ({ remoteAddress }) => (remoteAddress === '127.0.0.3' ? undefined : remoteAddress),
    });
    const { hostname: host, port } = new URL(small.url);
    const open = (localAddress: string) =>
      connect({ host, port: Number(port), localAddress }).on('error', () => undefined);
    const sockets = ['1', '1', '2', '3', '3', '3'].map((last) => open(`127.0.0.${last}`));
    for (const socket of sockets) expect(await firstLineOn(socket)).to.equal('HTTP/1.1 200 OK');
    expect(await firstLineOn(open('127.0.0.1'))).to.equal(undefined);
    expect(refused).to.deep.equal([{ tooMany: 'address' }]);
    sockets[0]!.destroy();
    await until(async () => {
      const next = open('127.0.0.1');
      sockets.push(next);
      return (await firstLineOn(next)) !== undefined;
    });
    for (const socket of sockets) socket.destroy();
    await small.drain();
  });

  it('answers nobody whose address is not known any more', async () => {
    const urls: string[] = [];
    const server = await listen(
      ({ url = '' }, response) => {
        urls.push(url);
        response.end();
      },
      { host: '127.0.0.1', port: 0, graceMs: 0 },
    );
    // This process accepts the connection only after the client has reset it.
    const client = `const socket = require('node:net').connect(${new URL(server.url).port}, '127.0.0.1', () =>
      socket.write('GET /gone HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n', () => socket.resetAndDestroy()))`;
    execFileSync(process.execPath, ['-e', client]);
    await (await fetch(`${server.url}/here`)).text();
    expect(urls).to.deep.equal(['/here']);
    await server.drain();
  });

  it('closes connections beyond its limit, until one of the others is closed', async () => {
    const refused: Refused[] = [];
    const small = await listen((_request, response) => response.end('x'), {
      host: '127.0.0.1',
      port: 0,
      graceMs: 0,
      connections: 2,
      onRefused: (one) => refused.push(one),
    });
    const { hostname, port } = new URL(small.url);
    const open = () => connect(Number(port), hostname).on('error', () => undefined);
    const sockets = [open(), open()];
    for (const socket of sockets) expect(await firstLineOn(socket)).to.equal('HTTP/1.1 200 OK');
    expect(await firstLineOn(open())).to.equal(undefined);
    expect(refused).to.deep.equal([{ tooMany: 'all' }]);
    sockets[0]!.destroy();
    await until(async () => {
      const next = open();
      sockets.push(next);
      return (await firstLineOn(next)) !== undefined;
    });
    for (const socket of sockets) socket.destroy();
    await small.drain();
  });

  it('keeps an idle connection open between requests', async () => {
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

  it('also closes a connection that has sent nothing when it is drained', async () => {
    const server = await listen((_request, response) => response.end('x'), {
      host: '127.0.0.1',
      port: 0,
      graceMs: 0,
    });
    const { hostname, port } = new URL(server.url);
    const silent = connect(Number(port), hostname);
    await once(silent, 'connect');
    // Later connections are accepted later, so the silent one has been accepted by then.
    await (await fetch(server.url)).text();
    await server.drain();
    expect(await text(silent)).to.equal('');
  });

  it('answers a request that is arriving when it is drained', async () => {
    let taken: Socket | undefined;
    const server = await listen(
      (request, response) => {
        taken = request.socket;
        response.end('x');
      },
      { host: '127.0.0.1', port: 0, graceMs: 0 },
    );
    const { hostname, port } = new URL(server.url);
    const client = connect(Number(port), hostname);
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(client, 'data');
    const before = taken!.bytesRead;
    client.write('GET / HTTP/1.1\r\n');
    await until(() => taken!.bytesRead > before);
    const idle = connect(Number(port), hostname);
    await once(idle, 'connect');
    const drained = server.drain();
    // Now all connections on which no request is arriving have been closed.
    expect(await text(idle)).to.equal('');
    client.write('Host: x\r\n\r\n');
    expect(await text(client)).to.match(/^HTTP\/1\.1 200 OK\r\n[^]*^Connection: close\r$/m);
    await drained;
  });

  it('sends an answer to its end when it is drained, however slowly its client reads', async () => {
    // More than the system takes from this process before the client reads.
    const body = Buffer.alloc(32 << 20);
    const server = await listen((_request, response) => response.end(body), {
      host: '127.0.0.1',
      port: 0,
      graceMs: 0,
    });
    const { hostname, port } = new URL(server.url);
    const slow = connect(Number(port), hostname);
    slow.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(slow, 'readable');
    const idle = connect(Number(port), hostname);
    await once(idle, 'connect');
    const drained = server.drain();
    expect(await text(idle)).to.equal('');
    expect(Buffer.byteLength(await text(slow))).to.be.above(body.length);
    await drained;
  });
});
