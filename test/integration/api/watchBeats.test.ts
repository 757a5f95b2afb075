import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { leaveBeat } from '../../../shared/jobs/beat.js';
import { startApi, until, type ApiServer } from '../../support/apiServer.js';
import { storeBody } from '../../support/apiViews.js';

describe('an API whose Redis is another than that of the indexer', () => {
  let api: ApiServer;
  let other: Redis;

  before(async () => {
    api = await startApi({ beatMs: 20 });
    // The keys of another database are those of another Redis.
    other = api.stores.redis.duplicate({ db: 1 });
    await other.connect();
  });
  after(async () => {
    other.disconnect();
    await api.close();
  });

  const beat = (redis: Redis) => {
    const { collections, namespace } = api.stores.mongo;
    return leaveBeat({ redis, namespace, collections });
  };
  const readiness = async () => {
    const reply = await api.get('/readyz');
    return { status: reply.status, error: (reply.json() as { error?: string }).error };
  };
  const isReady = async () => (await readiness()).status === 200;
  const warnings = () => api.log.filter(({ msg }) => String(msg).includes('CACHE_REDIS_URL'));

  it('says so, and keeps answers for a second only, until it is the same', async () => {
    const { collections } = api.stores.mongo;
    await until(async () => {
      await beat(other);
      return !(await isReady());
    });
    expect((await readiness()).error).to.equal(
      'Not ready: the indexer announces changes through another Redis: give it and the API the same CACHE_REDIS_URL or REDIS_URL',
    );
    expect(warnings()).to.have.length(1);
    await storeBody(collections, 'thread/71', { id: '71' });
    const path = '/api/threads/71';
    const before = (await api.get(path)).body.toString();
    await storeBody(collections, 'thread/71', { id: '71', title: 'Later' });
    await until(async () => (await api.get(path)).body.toString() !== before);

    await until(async () => {
      await beat(api.stores.redis);
      return isReady();
    });
    expect(warnings()).to.have.length(1);
  });
});
