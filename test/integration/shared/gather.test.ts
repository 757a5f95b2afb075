import { expect } from 'chai';
import { findAllGathered } from '../../../shared/store/gather.js';
import { anId } from '../../support/factories.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('findAllGathered', () => {
  const stores = suiteStores();

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
