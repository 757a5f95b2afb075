import { expect } from 'chai';
import { pagesById } from '../../../shared/store/pagesById.js';
import { newMark } from '../../../shared/store/work.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('pagesById', () => {
  const stores = suiteStores();
  before(async () => {
    const { work } = stores.mongo.collections;
    const marks = ['4', '1', '3', '2'].map((subject) => newMark('thread', subject));
    await work.insertMany([newMark('links', '1'), ...marks, newMark('threads' as 'thread', '1')]);
  });

  it('gives every document whose id has a prefix once, in the order of ids', async () => {
    for (const size of [1, 2, 3, 4, 5]) {
      const found: string[][] = [];
      const { work } = stores.mongo.collections;
      for await (const page of pagesById(work, { size, prefix: 'thread/' }))
        found.push(page.map(({ subject }) => subject));
      expect(found.flat()).to.deep.equal(['1', '2', '3', '4']);
      expect(found.every((page) => page.length <= size)).to.equal(true);
    }
  });

  it('gives the documents that a filter selects, and all without a prefix', async () => {
    const { work } = stores.mongo.collections;
    const found: string[] = [];
    for await (const page of pagesById(work, { size: 2, filter: { subject: '1' } }))
      found.push(...page.map(({ _id }) => _id));
    expect(found).to.deep.equal(['links/1', 'thread/1', 'threads/1']);
  });
});
