import { performance } from 'node:perf_hooks';
import { expect } from 'chai';
import { findAllGathered } from '../../../shared/store/gather.js';
import { anId } from '../../support/factories.js';
import { openStores, type TestStores } from '../../support/stores.js';

describe('findAllGathered', function () {
  this.timeout(30_000);
  let stores: TestStores;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  it('reads very many documents of one value without holding up everything else', async () => {
    const { channels } = stores.mongo.collections;
    const serverId = anId();
    const many = Array.from({ length: 50_000 }, (_, n) => ({ _id: `${serverId}/${n}`, serverId }));
    await channels.insertMany(many as never[], { ordered: false });
    const before = performance.eventLoopUtilization();
    const found = await findAllGathered(channels, 'serverId', serverId, { fields: ['_id'] });
    expect(found).to.have.length(50_000);
    expect(performance.eventLoopUtilization(before).active).to.be.below(5_000);
  });
});
