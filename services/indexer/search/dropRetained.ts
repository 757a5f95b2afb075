import { readSearchIndex } from '../../../shared/store/searchIndex.js';
import { stateOf } from '../../../shared/store/state.js';
import type { IndexerDeps } from '../deps.js';
import { dropGenerations, indexExists } from './generations.js';

type Deps = Pick<IndexerDeps, 'collections' | 'elasticsearch' | 'namespace' | 'logger'>;

/**
 * Drops the index that a rebuild replaced once its rollback window is over, or forgets it when somebody else dropped
 * it. One that has been put back behind the alias stays. Returns false: there is never more.
 */
export async function dropRetained(deps: Deps, now = new Date()): Promise<boolean> {
  const store = stateOf(deps.collections.state, 'search');
  const found = await store.findOne({ _id: 'search', retained: { $exists: true } });
  const retained = found?.retained;
  if (!retained) return false;
  if (retained.until > now && (await indexExists(deps, retained.index))) return false;
  const isRetained = { _id: 'search', 'retained.index': retained.index } as const;
  // A rebuild that runs drops it by itself, and needs its targets.
  const { matchedCount } = await store.updateOne(
    { ...isRetained, 'rebuild.state': { $ne: 'running' } },
    { $set: { targets: [] } },
  );
  if (matchedCount === 0) return false;
  const { index: live } = await readSearchIndex(deps.elasticsearch, deps.namespace);
  if (live !== retained.index && (await indexExists(deps, retained.index))) {
    await dropGenerations(deps, live, [retained.index]);
    deps.logger.info({ index: retained.index }, 'The replaced search index was dropped');
  }
  // Only now: an index that nobody writes to must not be forgotten while it is there.
  await store.updateOne(isRetained, { $unset: { retained: '' } });
  return false;
}
