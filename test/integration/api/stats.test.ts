import { expect } from 'chai';
import { announcementChannel, type Announcement } from '../../../shared/jobs/announcements.js';
import { readSettings } from '../../../shared/platform/env.js';
import { startProxy, urlThrough, type PausableProxy } from '../../support/apiProxy.js';
import { exchange, startApi, until, type ApiServer, type Reply } from '../../support/apiServer.js';
import { openApiStores, type ApiStores } from '../../support/apiStores.js';
import { storeBody } from '../../support/apiViews.js';
import { atOtherTime } from '../../support/atOtherTime.js';
import { end, startService, urlOf } from '../../support/serviceProcess.js';

/** The key of the statistics of server 10 in Redis. */
const keyOf = (api: ApiServer): string => `${api.stores.mongo.namespace}:stats:10`;

describe('GET /api/servers/:serverId/stats', () => {
  let api: ApiServer;
  before(async () => {
    // What was stored in Redis since the start counts at once.
    api = await startApi({ settlingMs: 0 });
    await storeBody(api.stores.mongo.collections, 'stats/10', { total: 1, pad: 'x'.repeat(2_000) });
  });
  after(async () => {
    await api.stores.redis.del(keyOf(api));
    await api.close();
  });

  const key = () => keyOf(api);

  /** Announces a change, and waits until the process has forgotten what it had in memory. */
  const announce = async (changed: Partial<Announcement>): Promise<void> => {
    const { entries } = api.cache.size;
    await api.announce(changed);
    await until(() => api.cache.size.entries < entries);
  };

  it('is a MISS, then a HIT for 60 seconds, even if the archive has changed', async () => {
    const miss = await api.get('/api/servers/10/stats');
    expect(miss.headers).to.include({ 'x-cache': 'MISS' });
    expect(Number(miss.headers['x-cache-ttl'])).to.be.within(31, 60);
    await storeBody(api.stores.mongo.collections, 'stats/10', { total: 2 });
    await announce({ servers: ['10'] });
    const hit = await api.get('/api/servers/10/stats', { 'Accept-Encoding': 'gzip' });
    expect(hit.headers).to.include({ 'x-cache': 'HIT', 'content-encoding': 'gzip' });
    expect(Number(hit.headers['x-cache-ttl'])).to.be.within(1, 60);
    const again = await api.get('/api/servers/10/stats');
    expect(again.json()).to.deep.equal(miss.json());
    expect(again.headers.etag).to.equal(miss.headers.etag);
  });

  it('tells the whole seconds left', async () => {
    await announce({ servers: ['10'] });
    const ask = async () => {
      const { headers } = await api.get('/api/servers/10/stats');
      expect(headers).to.include({ 'x-cache': 'HIT' });
      return Number(headers['x-cache-ttl']);
    };
    const first = await ask();
    expect(first).to.be.within(1, 60);
    // The clock of the machine may be set back.
    expect(await atOtherTime(-3_600_000, ask)).to.be.within(1, 60);
    // It comes from the shared cache once, and then from this process's memory, where its time goes on.
    await until(async () => (await ask()) < first);
  });

  it('answers 304 with the cache headers', async () => {
    const { headers } = await api.get('/api/servers/10/stats');
    const held = { 'If-None-Match': String(headers.etag) };
    const reply = await api.get('/api/servers/10/stats', held);
    expect(reply.status).to.equal(304);
    expect(reply.headers).to.include({ 'x-cache': 'HIT' });
  });

  it('does not ask Redis while it is in memory', async () => {
    await api.get('/api/servers/10/stats');
    const stored = await api.stores.redis.getBuffer(key());
    await api.stores.redis.set(key(), 'nonsense', 'PX', 60_000);
    const { headers } = await api.get('/api/servers/10/stats');
    expect(headers).to.include({ 'x-cache': 'HIT' });
    await api.stores.redis.set(key(), stored!, 'PX', 60_000);
  });

  it('is a MISS again once something was removed, although Redis still holds what was before', async () => {
    const ask = async () => {
      const reply = await api.get('/api/servers/10/stats');
      return [reply.headers['x-cache'], (reply.json() as { total: number }).total];
    };
    await announce({ servers: ['10'] });
    expect(await ask()).to.deep.equal(['HIT', 1]);
    await announce({ statistics: ['10'] });
    expect(await ask()).to.deep.equal(['MISS', 2]);
    // A request with a credential finds it in this process's memory, too.
    const named = await api.get('/api/servers/10/stats', { 'X-API-Key': 'unknown' });
    expect(named.headers).to.include({ 'x-cache': 'HIT' });
  });

  it('is a MISS again after an announcement that everything may have changed', async () => {
    await announce({ servers: ['10'] });
    const cached = async () => (await api.get('/api/servers/10/stats')).headers['x-cache'];
    expect(await cached()).to.equal('HIT');
    await announce({ everything: true });
    expect(await cached()).to.equal('MISS');
  });

  it('ignores a damaged entry', async () => {
    await api.stores.redis.set(key(), 'nonsense', 'PX', 60_000);
    await announce({ servers: ['10'] });
    const reply = await api.get('/api/servers/10/stats');
    expect(reply.headers).to.include({ 'x-cache': 'MISS' });
    expect(reply.json()).to.deep.equal({ total: 2 });
  });
});

/**
 * Waits until an API keeps thread 71 although it has changed, which it does for longer than a second only while it
 * hears announcements. Then announces the change, and waits until the API gives out the new `version`.
 */
async function expectToFollow(
  { mongo: { collections, namespace }, redis }: ApiStores,
  version: () => Promise<number>,
): Promise<void> {
  let stale = 0;
  await until(async () => {
    stale = await version();
    await storeBody(collections, 'thread/71', { version: stale + 1 });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    return (await version()) === stale;
  });
  const threads = [{ threadId: '71', serverId: '1', channelId: '1' }];
  const announcement: Announcement = { threads, servers: [], users: [], similar: [] };
  await redis.publish(announcementChannel(namespace), JSON.stringify(announcement));
  await until(async () => (await version()) > stale);
}

describe('reads while the Redis of the cache alone is away', () => {
  it('bypass it for statistics, and follow announcements as always', async () => {
    const stores = await openApiStores();
    const { collections, namespace } = stores.mongo;
    const api = await startService('api', {
      MONGODB_URL: stores.mongodbUrl,
      CACHE_REDIS_URL: 'redis://127.0.0.1:1',
      PORT: '0',
    });
    // A busy machine may not read an answer within the limit of a process that runs as in production.
    const get = async (path: string): Promise<Reply> => {
      let reply: Reply | undefined;
      await until(async () => {
        reply = await exchange(urlOf(api), 'GET', path);
        return reply.status !== 503;
      });
      return reply!;
    };
    const channel = announcementChannel(namespace);
    try {
      await storeBody(collections, 'stats/10', { total: 1 });
      await storeBody(collections, 'thread/71', { version: 1 });
      await until(async () => Number((await stores.redis.pubsub('NUMSUB', channel))[1]) === 1);
      const { status, headers } = await get('/api/servers/10/stats');
      expect([status, headers['x-cache']]).to.deep.equal([200, 'BYPASS']);
      const version = async () =>
        ((await get('/api/threads/71')).json() as { version: number }).version;
      await expectToFollow(stores, version);
    } finally {
      await end(api, 'SIGTERM');
      await stores.close();
    }
  });
});

describe('reads while Redis is frozen', () => {
  let proxy: PausableProxy;
  let api: ApiServer;
  before(async () => {
    const { hostname, port } = new URL(readSettings().REDIS_URL);
    proxy = await startProxy({ host: hostname, port: Number(port) });
    api = await startApi({ redisUrl: urlThrough(readSettings().REDIS_URL, proxy) });
    await storeBody(api.stores.mongo.collections, 'stats/10', { total: 1 });
    await storeBody(api.stores.mongo.collections, 'thread/71', { version: 1 });
  });
  after(async () => {
    await api.stores.redis.del(keyOf(api));
    await api.close();
    await proxy.close();
  });

  const version = async () =>
    ((await api.get('/api/threads/71')).json() as { version: number }).version;

  it('bypasses the cache, and reads go on; when Redis is back, announcements take effect again', async () => {
    const { collections } = api.stores.mongo;
    const cached = async () => (await api.get('/api/servers/10/stats')).headers['x-cache'];
    await until(async () => (await cached()) === 'HIT');
    expect(await version()).to.equal(1);
    proxy.freeze();
    // What is in memory is still used for a second.
    await until(async () => (await cached()) === 'BYPASS');
    const bypass = await api.get('/api/servers/10/stats');
    expect(bypass.status).to.equal(200);
    expect(bypass.headers).to.include({ 'x-cache': 'BYPASS', 'x-cache-ttl': '0' });
    expect(bypass.json()).to.deep.equal({ total: 1 });

    await storeBody(collections, 'thread/71', { version: 2 });
    await until(async () => (await version()) === 2);
    await storeBody(collections, 'thread/71', { version: 3 });
    await until(async () => (await version()) === 3);
    await until(async () => (await api.get('/readyz')).status === 503);

    proxy.thaw();
    await until(async () => (await api.get('/readyz')).status === 200);
    await until(async () => (await cached()) === 'HIT');
    await expectToFollow(api.stores, version);
  });

  it('goes on while connections to Redis are refused, although nobody can announce a change', async () => {
    const { mongo, redis } = api.stores;
    const channel = announcementChannel(mongo.namespace);
    await until(async () => Number((await redis.pubsub('NUMSUB', channel))[1]) === 1);
    await until(async () => (await version()) > 0);
    const before = await version();
    await proxy.cut();
    await storeBody(mongo.collections, 'thread/71', { version: before + 1 });
    await until(async () => (await version()) === before + 1);
    await proxy.mend();
  });
});
