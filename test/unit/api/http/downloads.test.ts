import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import Koa from 'koa';
import { corsPolicy } from '../../../../services/api/http/cors.js';
import {
  cutUnread,
  limitStreams,
  sendStream,
  UNREAD_LIMIT_MS,
} from '../../../../services/api/http/downloads.js';
import { makeAndSend } from '../../../../services/api/http/exchange.js';
import { listen, type RequestHandler } from '../../../../services/api/http/listen.js';
import { send } from '../../../../services/api/http/send.js';
import { until } from '../../../support/apiServer.js';

const CHUNK = Buffer.alloc(65_536);

describe('limitStreams', () => {
  it('lets streams wait beyond the limit until one is closed', async () => {
    const openStream = limitStreams({ inAll: 2, ofOne: 2, waitMs: 60_000 });
    const failed = await openStream('one', endless);
    const ended = await openStream('another', () => Readable.from(['x']));
    const next = [openStream('one', endless), openStream('one', endless)];
    ended.resume();
    const first = await next[0]!;
    failed.on('error', () => undefined).destroy(new Error('broken'));
    const second = await next[1]!;
    first.destroy();
    second.destroy();
  });

  it('lets streams of one client wait while others have places', async () => {
    const openStream = limitStreams({ inAll: 3, ofOne: 1, waitMs: 60_000 });
    const first = await openStream('one', endless);
    let isOpen = false;
    const second = openStream('one', endless).then((stream) => {
      isOpen = true;
      return stream;
    });
    const other = await openStream('another', endless);
    expect(isOpen).to.equal(false);
    first.destroy();
    (await second).destroy();
    other.destroy();
  });

  it('refuses a stream that waits too long, and does not open it later', async () => {
    const openStream = limitStreams({ inAll: 1, ofOne: 1, waitMs: 1 });
    const held = await openStream('one', endless);
    let opened = 0;
    const error = await openStream('another', () => {
      opened += 1;
      return endless();
    }).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'UNAVAILABLE', status: 503 });
    expect(error).to.have.deep.property('headers', { 'Retry-After': '5' });
    held.destroy();
    await new Promise((resolve) => held.once('close', resolve));
    expect(opened).to.equal(0);
  });

  it('does not count a stream that could not be opened', async () => {
    const openStream = limitStreams({ inAll: 1, ofOne: 1, waitMs: 60_000 });
    const fail = (): never => {
      throw new Error('broken');
    };
    const error = await openStream('one', fail).catch((thrown: unknown) => thrown);
    expect((error as Error).message).to.equal('broken');
    (await openStream('one', endless)).destroy();
  });
});

describe('cutUnread', () => {
  /**
   * Serves one request whose client reads nothing, and returns both ends of its connection. The client sends `behind`
   * together with the request.
   */
  async function unread(handler: RequestHandler, behind = '') {
    let served: Socket | undefined;
    const listener = await listen(
      (request, response) => {
        served = request.socket;
        handler(request, response);
      },
      { host: '127.0.0.1', port: 0, graceMs: 0 },
    );
    const { hostname, port } = new URL(listener.url);
    const client = connect(Number(port), hostname).pause();
    client.on('error', () => undefined);
    client.write(`GET / HTTP/1.1\r\nHost: x\r\n\r\n${behind}`);
    await until(() => served !== undefined);
    return { served: served!, client, listener };
  }

  it('ends a download whose client takes nothing, whatever it sends meanwhile', async () => {
    const body = endless();
    const limitMs = 3_000;
    const began = performance.now();
    const { client, listener } = await unread((_request, response) => {
      cutUnread(response, limitMs);
      body.pipe(response).once('close', () => body.destroy());
    });
    const drip = setInterval(() => {
      if (client.writable) client.write('\r\n');
    }, 10);
    if (!body.closed) await once(body, 'close');
    clearInterval(drip);
    expect(performance.now() - began).to.be.at.least(limitMs / 2);
    client.destroy();
    await listener.drain();
  });

  it('ends a download at once where a malformed request behind it has ended the connection', async () => {
    const body = endless();
    const { client, listener } = await unread((_request, response) => {
      // The limit is far beyond what the test may take.
      sendStream(response, body, 2 ** 31);
    }, 'MALFORMED\r\n\r\n');
    if (!body.closed) await once(body, 'close');
    client.destroy();
    await listener.drain();
  });

  it('opens no download for a client that is gone', async () => {
    const body = endless();
    const { client, listener } = await unread((_request, response) => {
      response.once('close', () => sendStream(response, body));
    });
    client.destroy();
    if (!body.closed) await once(body, 'close');
    await listener.drain();
  });

  it('answers the next request on the connection once a download was taken', async () => {
    const { client, listener } = await unread(({ url }, response) => {
      cutUnread(response);
      Readable.from([CHUNK, `<${url}>`]).pipe(response);
    });
    let received = '';
    client.on('data', (data: Buffer) => (received += data.toString('latin1'))).resume();
    await until(() => received.endsWith('</>\r\n0\r\n\r\n'));
    client.write(['/1', '/2'].map((url) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    await until(() => received.endsWith('</2>\r\n0\r\n\r\n'));
    client.write('GET /3 HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => received.includes('</3>'));
    expect(received.match(/<[^>]+>/g)).to.deep.equal(['</>', '</1>', '</2>', '</3>']);
    client.destroy();
    await listener.drain();
  });

  it('bounds every streamed answer, with and without Koa', async () => {
    const answer = { etag: 'x', length: 1, file: { type: 'video/mp4', bytes: endless() } };
    const app = new Koa();
    app.silent = true;
    const koa = app.use((ctx) => send(ctx, answer)).callback();
    const form = { status: 200, etag: '"x"', headers: [], notModified: [], length: undefined };
    const direct: RequestHandler = (request, response) => {
      const unlimited = { counted: undefined, addressOf: () => 'one' };
      const exchange = { facts: { requestId: '1' }, ...unlimited, cors: corsPolicy('*') };
      const sent = { ...form, body: endless, cached: undefined };
      void makeAndSend({ request, response, ...exchange }, sent);
    };
    const handlers: RequestHandler[] = [direct, (request, response) => void koa(request, response)];
    for (const handler of handlers) {
      const { served, client, listener } = await unread(handler);
      await until(() => served.timeout === UNREAD_LIMIT_MS / 2);
      client.destroy();
      await listener.drain();
    }
    if (!answer.file.bytes.closed) await once(answer.file.bytes, 'close');
  });
});

function endless(): Readable {
  return new Readable({
    read() {
      this.push(CHUNK);
    },
  });
}
