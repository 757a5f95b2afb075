import { expect } from 'chai';
import { Collection } from 'mongodb';
import { guardCollections } from '../../../../services/api/stores/guardCollections.js';
import { createMongo } from '../../../../shared/platform/clients.js';
import { rejectionOf } from '../../../support/temporaryFolder.js';

/** Methods of a collection that the API never uses. */
const UNUSED = new Set([
  'createIndex',
  'createIndexes',
  'createSearchIndex',
  'createSearchIndexes',
  'drop',
  'dropIndex',
  'dropIndexes',
  'dropSearchIndex',
  'findOneAndDelete',
  'findOneAndReplace',
  'indexExists',
  'indexInformation',
  'indexes',
  'isCapped',
  'options',
  'rename',
  'updateSearchIndex',
  'count',
]);

describe('guardCollections', () => {
  const { client, collections } = createMongo(
    { MONGODB_URL: 'mongodb://127.0.0.1:1/nothing' },
    { timeoutMs: 1_000, poolSize: 1 },
  );
  const { bodies } = guardCollections(collections, () => Promise.reject(new Error('Refused')), 700);
  after(() => client.close());

  const asking = Object.getOwnPropertyNames(Collection.prototype).filter((name) => {
    const value: unknown = Object.getOwnPropertyDescriptor(Collection.prototype, name)?.value;
    return typeof value === 'function' && value.constructor.name === 'AsyncFunction';
  });

  it('calls its guard before every call that asks the server', async () => {
    const used = asking.filter((name) => !UNUSED.has(name));
    expect(used).to.include.members(['findOne', 'insertOne', 'bulkWrite', 'countDocuments']);
    for (const name of used) {
      const call = Reflect.get(bodies, name) as (...given: object[]) => Promise<unknown>;
      expect(await rejectionOf(call.call(bodies, {}, {})), name).to.equal('Refused');
    }
  });

  it('calls its guard before every call of a cursor that asks the server', async () => {
    expect(await rejectionOf(bodies.find({}).sort({ _id: 1 }).limit(1).toArray())).to.equal(
      'Refused',
    );
    expect(await rejectionOf(bodies.find({}).next())).to.equal('Refused');
    expect(await rejectionOf(bodies.aggregate([]).hasNext())).to.equal('Refused');
  });
});
