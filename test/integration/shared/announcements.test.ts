import { expect } from 'chai';
import { announceEverything, statsCacheKey } from '../../../shared/jobs/announcements.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('announceEverything', () => {
  const stores = suiteStores();

  it('empties the statistics of an archive whose name has signs of a pattern, and of no other', async () => {
    const { redis } = stores;
    const name = stores.mongo.namespace;
    const [own, other] = [`${name}[1]?*`, `${name}1ab`].map((one) => statsCacheKey(one, '1'));
    for (const key of [own!, other!]) await redis.set(key, 'old', 'EX', 60);
    await announceEverything(redis, `${name}[1]?*`);
    expect(await redis.get(own!)).to.equal('');
    expect(await redis.get(other!)).to.equal('old');
  });
});
