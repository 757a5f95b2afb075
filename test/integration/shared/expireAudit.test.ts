import { expect } from 'chai';
import { keepIndexes } from '../../../services/indexer/keepIndexes.js';
import { expireAudit } from '../../../shared/store/expireAudit.js';
import { openApiStores, type ApiStores } from '../../support/apiStores.js';

const DAY_SECONDS = 86_400;

describe('expireAudit', () => {
  let stores: ApiStores;
  before(async () => {
    stores = await openApiStores();
  });
  after(() => stores.close());

  const lives = async (): Promise<(number | undefined)[]> =>
    (await stores.mongo.collections.audit.indexes())
      .filter(({ name }) => name !== '_id_')
      .map(({ expireAfterSeconds }) => expireAfterSeconds);

  it('makes MongoDB remove entries after AUDIT_DAYS, and follows the setting when it changes', async () => {
    for (const days of [365, 365, 30, 3_650]) {
      await expireAudit(stores.mongo, { AUDIT_DAYS: days });
      expect(await lives()).to.deep.equal([days * DAY_SECONDS]);
    }
  });

  it('follows the setting when several indexers start at once', async () => {
    for (const days of [30, 31, 32, 33, 34, 35]) {
      const starts = [1, 2, 3, 4].map(() => expireAudit(stores.mongo, { AUDIT_DAYS: days }));
      await Promise.all(starts);
      expect(await lives()).to.deep.equal([days * DAY_SECONDS]);
    }
  });

  it('is not changed by an indexer with another setting that looks for missing indexes', async () => {
    await expireAudit(stores.mongo, { AUDIT_DAYS: 30 });
    await keepIndexes(stores.mongo, { AUDIT_DAYS: 365 });
    expect(await lives()).to.deep.equal([30 * DAY_SECONDS]);
    await stores.mongo.collections.audit.dropIndexes();
    await keepIndexes(stores.mongo, { AUDIT_DAYS: 365 });
    expect(await lives()).to.deep.equal([365 * DAY_SECONDS]);
  });

  it('makes entries expire that an index of an earlier version keeps for ever', async () => {
    const { audit } = stores.mongo.collections;
    await audit.drop();
    await audit.createIndexes([{ name: 'at', key: { at: -1 } }]);
    expect(await lives()).to.deep.equal([undefined]);
    await expireAudit(stores.mongo, { AUDIT_DAYS: 365 });
    expect(await lives()).to.deep.equal([365 * DAY_SECONDS]);
  });
});
