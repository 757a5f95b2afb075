import { expect } from 'chai';
import { createProducer } from '../../../shared/jobs/producer.js';
import { takesJobs } from '../../../shared/jobs/takesJobs.js';
import { createRegistry, registerStores } from '../../../shared/platform/metrics.js';
import { untilEqual } from '../../support/apiServer.js';
import { startOwnServers } from '../../support/ownServers.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('the metric of the stores', () => {
  it('is 0 for the queue while its Redis is full or away', () =>
    withTemporaryFolder(async (folder) => {
      const wanted = { redis: true, mongodb: false, elasticsearch: false };
      const own = await startOwnServers(folder, wanted);
      const redis = own.servers.redis!;
      const producer = createProducer({ redisUrl: redis.url, namespace: 'test_queue' });
      const registry = createRegistry();
      registerStores(registry, {}, () => takesJobs(producer));
      const value = async (): Promise<number> => {
        const [, told] = /store_up\{store="queue"\} (\d)/.exec(await registry.metrics()) ?? [];
        return Number(told);
      };
      try {
        expect(await value()).to.equal(1);
        await producer.redis.config('SET', 'maxmemory', '1');
        expect(await value()).to.equal(0);
        await producer.redis.config('SET', 'maxmemory', '0');
        expect(await value()).to.equal(1);
        await redis.kill();
        expect(await value()).to.equal(0);
        await redis.restart();
        await untilEqual(value, 1);
      } finally {
        await producer.close();
        await own.stop();
      }
    }));
});
