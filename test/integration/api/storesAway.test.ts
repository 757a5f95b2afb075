import { expect } from 'chai';
import { errorBodySchema, type ErrorBody } from '../../../shared/contract/errors.js';
import type { Readiness } from '../../../shared/contract/health.js';
import { readSettings } from '../../../shared/platform/env.js';
import { startProxy, type PausableProxy } from '../../support/apiProxy.js';
import { startApi, until, untilEqual, type ApiServer } from '../../support/apiServer.js';
import { storeBody } from '../../support/apiViews.js';

describe('reads while MongoDB is away', () => {
  let proxy: PausableProxy;
  let api: ApiServer;
  before(async () => {
    const [, host = '', port] = /@?([\w.-]+):(\d+)/.exec(readSettings().MONGODB_URL) ?? [];
    proxy = await startProxy({ host, port: Number(port) });
    api = await startApi({ mongodbUrl: `mongodb://127.0.0.1:${proxy.port}` });
    const { collections } = api.stores.mongo;
    await storeBody(collections, 'thread/1', { id: '1' });
    await storeBody(collections, 'thread/2', { id: '2' });
  });
  after(async () => {
    await api.close();
    await proxy.close();
  });

  it('is ready while every store answers', async () => {
    const stores = { mongodb: 'up', elasticsearch: 'up', redis: 'up' };
    const ready = async () => {
      const reply = await api.get('/readyz');
      return [reply.status, reply.json()];
    };
    await untilEqual(ready, [200, { stores }]);
  });

  it('serves what is in the cache, and answers the rest with 503 although nothing comes', async () => {
    await until(async () => (await api.get('/api/threads/1')).status === 200);
    proxy.freeze();
    expect((await api.get('/api/threads/1')).json()).to.deep.equal({ id: '1' });
    expect((await api.get('/healthz')).json()).to.deep.equal({ status: 'ok' });
    // Nobody can hold an answer that is no 200.
    const askReady = () => api.get('/readyz', { 'If-None-Match': '*' });
    const [body, list, ready] = await Promise.all([
      api.get('/api/threads/2'),
      api.get('/api/threads'),
      askReady(),
    ]);
    for (const reply of [body, list, ready]) {
      expect(reply.status).to.equal(503);
      expect(reply.json()).to.include({ code: 'UNAVAILABLE' });
      expect(reply.headers['cache-control']).to.equal('no-store');
      expect(reply.headers['retry-after']).to.match(/^\d+$/);
    }
    for (const reply of [body, list]) {
      expect(errorBodySchema.validate(reply.json()).error).to.equal(undefined);
      expect(reply.body.toString()).not.to.match(/mongo|127\.0|timeout/i);
    }
    // A busy machine may be too slow for a ping of another store.
    const states = async () => ((await askReady()).json() as Readiness).stores;
    await untilEqual(states, { mongodb: 'down', elasticsearch: 'up', redis: 'up' });
    await untilEqual(
      async () => ((await askReady()).json() as ErrorBody).error,
      'Not ready: mongodb did not answer',
    );
    proxy.thaw();
    await until(async () => (await api.get('/api/threads/2')).status === 200);
    // The key of cursors is read again.
    await until(async () => (await api.get('/api/threads')).status === 200);
    await until(async () => (await api.get('/readyz')).status === 200);
  });
});
