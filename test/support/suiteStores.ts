import type { IndexerDeps } from '../../services/indexer/deps.js';
import { indexerDeps } from './indexerDeps.js';
import { emptyMongo, openStores, type TestStores } from './stores.js';

/**
 * What happens to the stores of a suite after each test. `emptied`: every document in MongoDB is deleted, but search
 * keeps its documents, whose ids no later test uses. `cleared`: the documents of search are deleted, too, and no key in
 * Redis and nothing that this process knows of the archive is left. `renewed`: what `cleared` does, but the search
 * index is removed. It is made again where a test uses it, which costs a tenth of a second of processor time. A test
 * needs that where it looks at scores, which deleted documents may still change, or where it changes the index itself.
 */
export type AfterEach = 'kept' | 'emptied' | 'cleared' | 'renewed';

/** Who uses the stores of a suite. */
interface Users {
  /** Whether other processes use them, too. Such processes find a search index, and may be killed at any time. */
  otherProcesses?: boolean;
}

/**
 * Stores of the suite that calls this. They are closed after its last test. Before its first test, the object has no
 * properties.
 */
export function suiteStores(
  afterEachTest: AfterEach = 'kept',
  { otherProcesses = false }: Users = {},
): TestStores {
  const stores = {} as TestStores;
  const options = { isShared: !otherProcesses, isSearchLate: !otherProcesses };
  before(async () => void Object.assign(stores, await openStores(options)));
  after(() => stores.close());
  if (afterEachTest === 'emptied') afterEach(() => emptyMongo(stores.mongo));
  if (afterEachTest === 'cleared') afterEach(() => stores.renew({ keepIndex: true }));
  if (afterEachTest === 'renewed') afterEach(() => stores.renew());
  return stores;
}

/** Stores with the write side over them. Where the stores are not kept, each test gets a new write side. */
export function indexerSuite(
  afterEachTest: AfterEach = 'kept',
  users: Users = {},
): {
  stores: TestStores;
  deps: IndexerDeps;
} {
  const stores = suiteStores(afterEachTest, users);
  const deps = {} as IndexerDeps;
  const create = () => void Object.assign(deps, indexerDeps(stores));
  if (afterEachTest === 'kept') before(create);
  else beforeEach(create);
  return { stores, deps };
}
