import { expect } from 'chai';
import { hasStoreUrls } from '../../../services/cli/storeUrls.js';

describe('hasStoreUrls', () => {
  it('names the settings that are missing, and those that are set', () => {
    const two = { MONGODB_URL: 'mongodb://one/a', REDIS_URL: 'redis://one' };
    expect(() => hasStoreUrls(two)).to.throw(
      'ELASTICSEARCH_URL is not set, and MONGODB_URL and REDIS_URL are: set all three or none',
    );
    expect(() => hasStoreUrls({ REDIS_URL: 'redis://one' })).to.throw(
      'MONGODB_URL is not set, and REDIS_URL is: set all three or none',
    );
  });

  it('takes all three, or none', () => {
    const all = { MONGODB_URL: 'a', ELASTICSEARCH_URL: 'b', REDIS_URL: 'c' };
    expect(hasStoreUrls(all)).to.equal(true);
    expect(hasStoreUrls({})).to.equal(false);
  });
});
