import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import Koa from 'koa';
import { listen, type Listener } from '../../../../services/api/http/listen.js';
import { send } from '../../../../services/api/http/send.js';
import { until } from '../../../support/apiServer.js';
import { heldBytes } from '../../../support/heldBytes.js';

const BODY = Buffer.alloc(4 << 20, '{"text":"Zoë"}');
const GZIP = gzipSync(BODY);
const ASKED = 50;

describe('send', () => {
  let listener: Listener;
  let sent = 0;
  before(async () => {
    const app = new Koa();
    app.silent = true;
    app.use(async (ctx) => {
      // As the gate does.
      ctx.state['asker'] = ctx.req.socket.remoteAddress;
      await send(ctx, { etag: 'x', length: BODY.length, gzip: GZIP });
      sent += 1;
    });
    const handle = app.callback();
    listener = await listen((request, response) => void handle(request, response), {
      host: '127.0.0.1',
      port: 0,
      graceMs: 0,
    });
  });
  after(() => listener.drain());

  it('inflates a large kept body as a whole for a client without gzip, and tells its length', async () => {
    const headers = { 'Accept-Encoding': 'identity' };
    const reply = await fetch(listener.url, { headers });
    expect(reply.headers.get('content-length')).to.equal(String(BODY.length));
    expect(reply.headers.get('content-encoding')).to.equal(null);
    expect(BODY.equals(Buffer.from(await reply.arrayBuffer()))).to.equal(true);
    const head = await fetch(listener.url, { headers, method: 'HEAD' });
    expect(head.headers.get('content-length')).to.equal(String(BODY.length));
    expect(head.headers.get('etag')).to.equal(reply.headers.get('etag'));
    const known = { ...headers, 'If-None-Match': String(reply.headers.get('etag')) };
    expect((await fetch(listener.url, { headers: known })).status).to.equal(304);
  });

  it('inflates no more of it than is read', async () => {
    sent = 0;
    const before = heldBytes();
    const { hostname: host, port } = new URL(listener.url);
    // They come from several addresses, because fewer would be streamed to one address.
    const sockets = Array.from({ length: ASKED }, (_, n) =>
      connect({ host, port: Number(port), localAddress: `127.0.0.${1 + (n % 4)}` }).pause(),
    );
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    while (sent < ASKED) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 200));
    try {
      await until(() => heldBytes() - before < (ASKED * BODY.length) / 10);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});
