import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { startApi, type ApiServer } from '../../support/apiServer.js';
import { aThreadItem, storeBody } from '../../support/apiViews.js';

describe('conditional requests and encodings', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi();
    const { collections } = api.stores.mongo;
    await storeBody(collections, 'thread/1', { id: '1', text: 'words '.repeat(1_000) });
    await storeBody(collections, 'server/1', { id: '1' });
    const items = Array.from({ length: 30 }, (_, n) => aThreadItem({ threadId: String(n + 1) }));
    await collections.threadItems.insertMany(items);
  });
  after(() => api.close());

  for (const path of ['/api/threads/1', '/api/threads', '/api/servers/1', '/openapi.json']) {
    for (const accept of ['identity', 'gzip']) {
      const asked = { 'Accept-Encoding': accept };

      it(`answers HEAD ${path} (${accept}) as GET, without the body`, async () => {
        const get = await api.get(path, asked);
        const head = await api.send('HEAD', path, asked);
        expect(get.status).to.equal(200);
        expect(get.headers['content-length']).to.equal(String(get.body.length));
        expect(head.status).to.equal(200);
        expect(head.body.length).to.equal(0);
        for (const name of ['content-length', 'content-type', 'content-encoding', 'etag', 'vary']) {
          expect(head.headers[name], name).to.equal(get.headers[name]);
        }
      });

      it(`answers 304 for ${path} (${accept}) to a client that has it`, async () => {
        const { headers, body } = await api.get(path, asked);
        const etag = String(headers.etag);
        for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
          for (const method of ['GET', 'HEAD']) {
            const reply = await api.send(method, path, { ...asked, 'If-None-Match': held });
            expect(reply.status, held).to.equal(304);
            expect(reply.body.length).to.equal(0);
            expect(reply.headers).to.include({ etag });
            for (const name of ['cache-control', 'vary', 'x-request-id', 'api-version']) {
              expect(reply.headers, name).to.have.property(name);
            }
            expect(reply.headers).not.to.have.any.keys('content-type', 'content-encoding');
          }
        }
        const other = await api.get(path, { ...asked, 'If-None-Match': '"other"' });
        expect(other.status).to.equal(200);
        expect(other.body.equals(body)).to.equal(true);
      });
    }
  }

  it('gives each encoding its own strong tag, and the same content', async () => {
    const plain = await api.get('/api/threads/1');
    const packed = await api.get('/api/threads/1', { 'Accept-Encoding': 'br, gzip;q=0.5' });
    expect(plain.headers.etag).to.match(/^"[\w-]+"$/);
    expect(packed.headers.etag).to.equal(`${String(plain.headers.etag).slice(0, -1)}-gzip"`);
    expect(packed.headers['content-encoding']).to.equal('gzip');
    expect(plain.headers).not.to.have.property('content-encoding');
    expect(gunzipSync(packed.body).equals(plain.body)).to.equal(true);
    expect(packed.body.length).to.be.below(plain.body.length / 10);
    const crossed = await api.get('/api/threads/1', {
      'Accept-Encoding': 'gzip',
      'If-None-Match': String(plain.headers.etag),
    });
    expect(crossed.status).to.equal(200);
  });

  it('sends the stored gzip bytes as they are', async () => {
    const stored = await api.stores.mongo.collections.bodies.findOne({ _id: 'thread/1' });
    const { body } = await api.get('/api/threads/1', { 'Accept-Encoding': 'gzip' });
    expect(body.equals(stored!.gzip!.buffer)).to.equal(true);
  });

  it('lets caches keep answers for a second, but no errors and no health checks', async () => {
    const kept = 'public, max-age=1, stale-while-revalidate=10';
    expect((await api.get('/api/threads/1')).headers['cache-control']).to.equal(kept);
    expect((await api.get('/api/threads')).headers['cache-control']).to.equal(kept);
    for (const path of [
      '/healthz',
      '/readyz',
      '/api/threads/404',
      '/nope',
      '/api/threads?limit=0',
    ]) {
      expect((await api.get(path)).headers['cache-control'], path).to.equal('no-store');
    }
  });

  it('does not answer errors with 304', async () => {
    const reply = await api.get('/api/threads/404', { 'If-None-Match': '*' });
    expect(reply.status).to.equal(404);
  });
});
