import { expect } from 'chai';
import { stateOf } from '../../../shared/store/state.js';
import { startApi, type ApiServer } from '../../support/apiServer.js';
import { anExport } from '../../support/exportFiles.js';
import { aChannel, aMessage, aServer, aThread } from '../../support/factories.js';
import { withFullRedis } from '../../support/withFullRedis.js';

describe('admin while Redis is away', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi({ redisUrl: 'redis://127.0.0.1:1', env: { DISABLE_AUTH: 'true' } });
  });
  after(() => api.close());

  it('answers 503 to every request that needs the queue, and records nothing', async () => {
    for (const path of ['/admin/jobs', '/admin/jobs/verify-x', '/admin/queues/api/queues']) {
      const reply = await api.get(path);
      expect(reply.status, path).to.equal(503);
      expect(reply.json()).to.include({ code: 'UNAVAILABLE' });
    }
    await expectNothingFiled(api);
  });

  it('still tells what the archive holds', async () => {
    const reply = await api.get('/admin/stats');
    expect(reply.status).to.equal(200);
    const cache = { entries: 0, bytes: 0, hits: 0, misses: 0, hitRate: 0 };
    expect(reply.json()).to.deep.include({ queue: null, indexers: null, cache });
  });
});

describe('admin while the memory of Redis is full', () => {
  it('answers 503 to every request that files a job, and records nothing', () =>
    withFullRedis(async (redisUrl) => {
      const api = await startApi({ redisUrl, env: { DISABLE_AUTH: 'true' } });
      try {
        await expectNothingFiled(api);
        expect((await api.get('/admin/jobs')).json()).to.deep.equal({ jobs: [] });
      } finally {
        await api.close();
      }
    }));
});

/** Sends each request that records work and files a job. Expects 503 each time, and that nothing is recorded. */
async function expectNothingFiled(api: ApiServer): Promise<void> {
  const { collections } = api.stores.mongo;
  const [thread, server, channel, message] = [aThread(), aServer(), aChannel(), aMessage()];
  await collections.threads.insertOne(thread);
  await collections.servers.insertOne(server);
  await collections.channels.insertOne(channel);
  await collections.messages.insertOne(message);
  // An indexer has a live source.
  await stateOf(collections.state, 'sync').updateOne(
    { _id: 'sync' },
    { $set: { problem: null } },
    { upsert: true },
  );
  const json = { 'Content-Type': 'application/json' };
  for (const [method, path, body] of [
    ['DELETE', `/admin/threads/${thread._id}`],
    ['DELETE', `/admin/servers/${server._id}`],
    ['DELETE', `/admin/channels/${channel._id}`],
    ['DELETE', `/admin/messages/${message._id}`],
    ['DELETE', '/admin/users/777777777777777701'],
    ['POST', '/admin/reindex', { target: 'all' }],
    ['POST', '/admin/sync', {}],
    ['POST', '/admin/import', anExport()],
  ] as const) {
    const reply = await api.send(method, path, body ? json : {}, body);
    expect(reply.status, `${method} ${path}`).to.equal(503);
    expect(reply.json()).to.include({ code: 'UNAVAILABLE' });
  }
  const { deletions, erasures, pieces, imports, sync } = collections;
  const held = await Promise.all([
    deletions.countDocuments(),
    erasures.countDocuments(),
    pieces.countDocuments(),
    imports.countDocuments(),
    sync.countDocuments(),
  ]);
  expect(held).to.deep.equal([0, 0, 0, 0, 0]);
}
