import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { checkQueueRedis } from '../../../services/indexer/checkQueueRedis.js';
import { createRedis } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('checkQueueRedis', () => {
  let redis: Redis;
  const logger = createLogger('test', 'silent');

  before(async () => {
    redis = createRedis(readSettings().REDIS_URL, { timeoutMs: 120_000 });
    await redis.connect();
  });
  after(() => redis.disconnect());

  it('takes a Redis that keeps every key', async () => {
    await checkQueueRedis(redis, logger);
  });

  it('refuses one that evicts keys, and names the setting', async () => {
    const evicting = {
      config: () => Promise.resolve(['maxmemory-policy', 'allkeys-lru']),
    } as unknown as Redis;
    const message = await rejectionOf(checkQueueRedis(evicting, logger));
    expect(message)
      .to.contain('REDIS_URL')
      .and.to.contain('allkeys-lru')
      .and.to.contain('noeviction');
  });
});
