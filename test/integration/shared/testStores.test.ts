import { expect } from 'chai';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { aServer } from '../../support/factories.js';
import { openStores, type TestStores } from '../../support/stores.js';

describe('the stores of a test', () => {
  const { SHARE_TEST_DATABASES: outside = 'false' } = process.env;
  before(() => (process.env['SHARE_TEST_DATABASES'] = 'true'));
  after(() => (process.env['SHARE_TEST_DATABASES'] = outside));

  /** Opens stores like the ones of a suite, uses them, and closes them. */
  async function use<T>(run: (stores: TestStores) => Promise<T>): Promise<T> {
    const stores = await openStores({ isShared: true, isSearchLate: true });
    try {
      return await run(stores);
    } finally {
      await stores.close();
    }
  }

  /** Everything in the stores that a later suite could notice. */
  async function contents({ mongo, elasticsearch, redis }: TestStores) {
    const { db, namespace } = mongo;
    const { collections } = mongo;
    let documents = 0;
    for (const name of Object.keys(collections)) {
      documents += await db.collection(name).countDocuments();
    }
    const index = searchAlias(namespace);
    return {
      documents,
      others: await db.listCollections({ name: 'odd' }).toArray(),
      indexes: (await collections.threads.indexes()).map(({ name }) => name).sort(),
      keys: await redis.keys(`${namespace}:*`),
      indices: Object.keys(await elasticsearch.indices.get({ index: `${index}-*` })),
      found: (await elasticsearch.count({ index })).count,
    };
  }

  async function writeEverywhere({ mongo, elasticsearch, redis }: TestStores): Promise<void> {
    await mongo.collections.servers.insertOne(aServer());
    await redis.set(`${mongo.namespace}:key`, 'value');
    const index = searchAlias(mongo.namespace);
    const document = { kind: 'tombstone', idKey: '1', threadId: '1' };
    await elasticsearch.index({ index, id: 'thread-1', document, refresh: true });
    await elasticsearch.indices.create({ index: `${index}-000009` });
  }

  const changes: [what: string, change: (stores: TestStores) => Promise<unknown>][] = [
    ['documents', writeEverywhere],
    ['another collection', ({ mongo }) => mongo.db.createCollection('odd')],
    ['another index', ({ mongo }) => mongo.collections.threads.createIndex({ title: 1 })],
    ['no index', ({ mongo }) => mongo.collections.threads.dropIndex('channelId')],
  ];

  for (const [what, change] of changes)
    it(`are as new where an earlier suite has left ${what} in them`, async () => {
      const fresh = await openStores();
      const expected = await contents(fresh);
      await fresh.close();
      const earlier = await use(async (stores) => {
        await change(stores);
        return stores.mongo.namespace;
      });
      await use(async (stores) => {
        const { namespace } = stores.mongo;
        expect(namespace).to.equal(earlier);
        const indices = [`${searchAlias(namespace)}-000001`];
        expect(await contents(stores)).to.deep.equal({ ...expected, indices });
      });
    });

  it('are new ones where a suite does not share them', async () => {
    const names = [0, 1].map(() => use(({ mongo }) => Promise.resolve(mongo.namespace)));
    const own = await openStores();
    expect(await Promise.all(names)).not.to.include(own.mongo.namespace);
    await own.close();
  });
});
