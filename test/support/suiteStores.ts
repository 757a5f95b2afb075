import type { IndexerDeps } from '../../services/indexer/deps.js';
import { indexerDeps } from './indexerDeps.js';
import { emptyMongo, openStores, type TestStores } from './stores.js';

/**
 * What happens to the stores of a suite after each test. `emptied`: every document in MongoDB is deleted, but search
 * keeps its documents, whose ids no later test uses. `reopened`: the next test gets new stores, which costs half a
 * second of processor time.
 */
export type AfterEach = 'kept' | 'emptied' | 'reopened';

/**
 * Stores of the suite that calls this. They are closed after its last test. Before its first test, the object has no
 * properties.
 */
export function suiteStores(afterEachTest: AfterEach = 'kept'): TestStores {
  const stores = {} as TestStores;
  const open = async () => void Object.assign(stores, await openStores());
  const close = () => stores.close();
  if (afterEachTest === 'reopened') {
    beforeEach(open);
    afterEach(close);
  } else {
    before(open);
    after(close);
  }
  if (afterEachTest === 'emptied') {
    afterEach(() => emptyMongo(stores.mongo));
  }
  return stores;
}

/** Stores with the write side over them. Where the stores are not kept, each test gets a new write side. */
export function indexerSuite(afterEachTest: AfterEach = 'kept'): {
  stores: TestStores;
  deps: IndexerDeps;
} {
  const stores = suiteStores(afterEachTest);
  const deps = {} as IndexerDeps;
  const create = () => void Object.assign(deps, indexerDeps(stores));
  if (afterEachTest === 'kept') before(create);
  else beforeEach(create);
  return { stores, deps };
}
