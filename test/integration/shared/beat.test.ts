import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { beatReader, leaveBeat } from '../../../shared/jobs/beat.js';
import { createRedis } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('beatReader', () => {
  const stores = suiteStores();
  const where = (redis: Redis = stores.redis) => ({ ...stores.mongo, redis });

  it('tells of each new token once whether this Redis holds it', async () => {
    const read = beatReader(where());
    expect(await read()).to.equal(undefined);
    await leaveBeat(where());
    expect(await read()).to.equal(true);
    expect(await read()).to.equal(undefined);
    // The keys of another database are those of another Redis.
    const other = stores.redis.duplicate({ db: 1 });
    await other.connect();
    await leaveBeat(where(other));
    other.disconnect();
    expect(await read()).to.equal(false);
    await leaveBeat(where());
    expect(await read()).to.equal(true);
  });

  it('is told of no token where Redis was away', async () => {
    const read = beatReader(where());
    await read();
    const away = createRedis(readSettings().REDIS_URL, { timeoutMs: 1_000 });
    away.disconnect();
    await leaveBeat(where(away));
    expect(await read()).to.equal(undefined);
  });
});
