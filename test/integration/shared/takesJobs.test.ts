import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createProducer } from '../../../shared/jobs/producer.js';
import { refusalOf } from '../../../shared/jobs/redisRefusal.js';
import { takesJobs } from '../../../shared/jobs/takesJobs.js';
import { createRegistry, registerStores } from '../../../shared/platform/metrics.js';
import { untilEqual } from '../../support/apiServer.js';
import { startOwnServers } from '../../support/ownServers.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('the metric of the stores', () => {
  it('is 0 for the queue while its Redis is full, cannot write to its disk, or is away', () =>
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
      const refusal = () =>
        producer.tryStoring().then(
          () => null,
          (error: unknown) => refusalOf(String(error)),
        );
      try {
        expect(await value()).to.equal(1);
        await producer.redis.config('SET', 'maxmemory', '1');
        expect(await value()).to.equal(0);
        expect(await refusal()).to.contain('memory is full');
        await producer.redis.config('SET', 'maxmemory', '0');
        expect(await value()).to.equal(1);
        expect(await refusal()).to.equal(null);
        // Redis cannot replace a folder by a file.
        const inTheWay = join(folder, 'redis', 'dump.rdb');
        await mkdir(inTheWay);
        await producer.redis.config('SET', 'save', '3600 1');
        await producer.redis.bgsave();
        await untilEqual(value, 0);
        expect(await refusal()).to.contain('cannot write to its disk');
        await rmdir(inTheWay);
        await producer.redis.bgsave();
        await untilEqual(value, 1);
        expect(await refusal()).to.equal(null);
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
