import { expect } from 'chai';
import { findAllGathered } from '../../../shared/store/gather.js';
import { anId } from '../../support/factories.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('findAllGathered', () => {
  const stores = suiteStores();

  it('takes a thousand documents apart at once at most, so that other work goes on between', async () => {
    const { db, collections } = stores.mongo;
    const serverId = anId();
    const records = Array.from({ length: 2_500 }, (_, n) => ({
      _id: `${serverId}/${n}`,
      serverId,
    }));
    await collections.channels.insertMany(records as never[]);
    await db.command({ profile: 2 });
    const found = await findAllGathered(collections.channels, 'serverId', serverId);
    await db.command({ profile: 0 });
    expect(found).to.have.length(2_500);
    const ns = `${stores.mongo.namespace}.channels`;
    const replies = db.collection<{ nreturned: number }>('system.profile').find({ ns });
    const sizes = (await replies.toArray()).map(({ nreturned }) => nreturned);
    await db.dropCollection('system.profile');
    expect(sizes).to.deep.equal([1_000, 1_000, 500]);
  });

  it('reads very many documents of one value in a time in proportion to their number', async () => {
    const { channels } = stores.mongo.collections;
    const [few, many] = [5_000, 50_000];
    // The least of three runs, so that garbage of other work does not count.
    const timeOf = async (size: number): Promise<number> => {
      const serverId = anId();
      const records = Array.from({ length: size }, (_, n) => ({
        _id: `${serverId}/${n}`,
        serverId,
      }));
      await channels.insertMany(records as never[], { ordered: false });
      const times: number[] = [];
      for (let n = 0; n < 3; n += 1) {
        const before = process.cpuUsage();
        const found = await findAllGathered(channels, 'serverId', serverId, ['_id']);
        const { user, system } = process.cpuUsage(before);
        expect(found).to.have.length(size);
        times.push(user + system);
      }
      return Math.min(...times);
    };
    await timeOf(few);
    expect((await timeOf(many)) / (await timeOf(few))).to.be.below((4 * many) / few);
  });
});
