import { expect } from 'chai';
import { mock } from 'node:test';
import { guardCollections } from '../../../services/api/stores/guardCollections.js';
import type { StoreGuard } from '../../../services/api/stores/storeGuard.js';
import { requestErasure, erasedPeople } from '../../../shared/store/erasures.js';
import { optedOut } from '../../../shared/store/optOuts.js';
import { leaveOut } from '../../support/leaveOut.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('the people who must not be shown', () => {
  const stores = suiteStores();

  /** Runs something. Resolves with how often it has read a collection. */
  async function readsOf(name: 'optOuts' | 'erasures', run: () => Promise<unknown>) {
    const read = mock.method(stores.mongo.collections[name], 'find');
    await run().finally(() => {
      read.mock.restore();
    });
    return read.mock.callCount();
  }

  it('are read once by all builds that need them at the same time', async () => {
    const { collections } = stores.mongo;
    await leaveOut(stores.mongo, '1', '8');
    const many = Array.from({ length: 20 });
    const ask = () => Promise.all(many.map(() => optedOut(collections)));
    expect(await readsOf('optOuts', ask)).to.equal(1);
    await requestErasure(collections, '9');
    const askErased = () => Promise.all(many.map(() => erasedPeople(collections)));
    expect(await readsOf('erasures', askErased)).to.equal(1);
    expect((await erasedPeople(collections)).has('9')).to.equal(true);
  });

  it('are read by the next who asks where reading them has failed', async () => {
    const { collections } = stores.mongo;
    await leaveOut(stores.mongo, '2', '9');
    const failing = mock.method(collections.optOuts, 'find', () => {
      throw new Error('It is away');
    });
    const asked = await optedOut(collections).catch(String);
    failing.mock.restore();
    expect(asked).to.equal('Error: It is away');
    expect((await optedOut(collections)).has('2', '9')).to.equal(true);
  });

  it('are read in few calls, which an API counts and limits one by one', async () => {
    const { collections } = stores.mongo;
    for (let n = 0; n < 5; n += 1) await leaveOut(stores.mongo, '3', `${n}`);
    for (let n = 0; n < 5; n += 1) await requestErasure(collections, `${n}`);
    let calls = 0;
    const guard: StoreGuard = (call) => {
      calls += 1;
      return call();
    };
    const guarded = guardCollections(collections, guard, 2_000);
    expect((await optedOut(guarded)).has('3', '4')).to.equal(true);
    expect((await erasedPeople(guarded)).has('4')).to.equal(true);
    // Each reads its version, and then one page.
    expect(calls).to.equal(4);
  });
});
