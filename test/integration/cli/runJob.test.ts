import { mock } from 'node:test';
import { expect } from 'chai';
import { remove, type Removal } from '../../../services/cli/delete/remove.js';
import { readSettings } from '../../../shared/platform/env.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { anId } from '../../support/factories.js';
import { proxiedServer } from '../../support/proxiedServer.js';
import { suiteStores } from '../../support/suiteStores.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('runJob', () => {
  const stores = suiteStores();
  const { REDIS_URL, MONGODB_URL } = process.env;
  afterEach(() => {
    Object.assign(process.env, { REDIS_URL, MONGODB_URL });
    mock.reset();
  });

  it('says that an erasure may be recorded where Redis went away before its job was filed', async () => {
    const redis = await proxiedServer(readSettings().REDIS_URL);
    Object.assign(process.env, { REDIS_URL: redis.url, MONGODB_URL: stores.mongodbUrl });
    mock.method(process.stderr, 'write', () => true);
    const userId = anId();
    const erasure: Removal = {
      entry: { operation: 'eraseUser', params: { userId } },
      find: () => Promise.resolve({ describe: () => Promise.resolve([]) }),
      async file({ mongo, producer }) {
        const erasureId = await requestErasure(mongo.collections, userId);
        await redis.kill();
        return producer.add('erase-user', { erasureId });
      },
      linesOf: () => [],
    };
    try {
      expect(await rejectionOf(remove(erasure, { yes: true }))).to.match(
        /^Redis cannot be reached: .*\. What was asked for may be recorded already\. Then it is done all the same, /,
      );
    } finally {
      await redis.close();
    }
    const recorded = await stores.mongo.collections.erasures.findOne({ userId });
    expect(recorded).to.not.equal(null);
  });
});
