import { expect } from 'chai';
import { stateOf } from '../../../shared/store/state.js';
import { startApi, type ApiServer } from '../../support/apiServer.js';
import { anExport } from '../../support/exportFiles.js';
import { aThread } from '../../support/factories.js';

describe('admin while Redis is away', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi({ redisUrl: 'redis://127.0.0.1:1', env: { DISABLE_AUTH: 'true' } });
  });
  after(() => api.close());

  it('answers 503 to every request that needs the queue, and records nothing', async () => {
    const { threads, deletions, erasures, pieces, state, sync } = api.stores.mongo.collections;
    const thread = aThread();
    await threads.insertOne(thread);
    // An indexer has a live source.
    await stateOf(state, 'sync').updateOne(
      { _id: 'sync' },
      { $set: { problem: null } },
      { upsert: true },
    );
    const json = { 'Content-Type': 'application/json' };
    for (const [method, path, body] of [
      ['GET', '/admin/jobs'],
      ['GET', '/admin/jobs/verify-x'],
      ['GET', '/admin/queues/api/queues'],
      ['DELETE', `/admin/threads/${thread._id}`],
      ['DELETE', '/admin/users/777777777777777701'],
      ['POST', '/admin/reindex', { target: 'all' }],
      ['POST', '/admin/sync', {}],
      ['POST', '/admin/import', anExport()],
    ] as const) {
      const reply = await api.send(method, path, body ? json : {}, body);
      expect(reply.status, `${method} ${path}`).to.equal(503);
      expect(reply.json()).to.include({ code: 'UNAVAILABLE' });
    }
    expect(await deletions.countDocuments()).to.equal(0);
    expect(await erasures.countDocuments()).to.equal(0);
    expect(await pieces.countDocuments()).to.equal(0);
    expect(await sync.countDocuments()).to.equal(0);
  });

  it('still tells what the archive holds', async () => {
    const reply = await api.get('/admin/stats');
    expect(reply.status).to.equal(200);
    const cache = { entries: 0, bytes: 0, hits: 0, misses: 0, hitRate: 0 };
    expect(reply.json()).to.deep.include({ queue: null, indexers: null, cache });
  });
});
