import type { IndexerDeps } from '../../services/indexer/deps.js';
import { indexerDeps } from './indexerDeps.js';
import { emptyMongo, openStores, renewStores, type TestStores } from './stores.js';

/**
 * What happens to the stores of a suite after each test. `emptied`: every document in MongoDB is deleted, but search
 * keeps its documents, whose ids no later test uses. `renewed`: where anything was written to the search index,
 * it is made again, too, which costs a tenth of a second of processor time. No key in Redis and nothing that this process
 * knows of the archive is left.
 */
export type AfterEach = 'kept' | 'emptied' | 'renewed';

/**
 * Stores of the suite that calls this. They are closed after its last test. Before its first test, the object has no
 * properties.
 */
export function suiteStores(afterEachTest: AfterEach = 'kept'): TestStores {
  const stores = {} as TestStores;
  before(async () => void Object.assign(stores, await openStores()));
  after(() => stores.close());
  if (afterEachTest === 'emptied') afterEach(() => emptyMongo(stores.mongo));
  if (afterEachTest === 'renewed') afterEach(() => renewStores(stores));
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
