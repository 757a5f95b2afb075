import { readSearchIndex } from '../../../shared/store/searchIndex.js';
import { stateOf } from '../../../shared/store/state.js';
import type { IndexerDeps } from '../deps.js';
import { dropGenerations, indexExists, liveIndex } from './generations.js';
import { ROLLBACK_WINDOW_MS } from './reindexSearch.js';

type Deps = Pick<IndexerDeps, 'collections' | 'elasticsearch' | 'namespace' | 'logger'>;

/**
 * Drops the index that a rebuild has replaced, once its rollback window is over, or when its data are lost. Forgets the
 * index where somebody else has dropped it. An index that was put back behind the alias stays.
 */
export async function dropRetained(deps: Deps, now = new Date()): Promise<void> {
  const store = stateOf(deps.collections.state, 'search');
  const found = await store.findOne({ _id: 'search', retained: { $exists: true } });
  const retained = found?.retained;
  if (!retained) return;
  if (isToStay(retained.until, now) && (await isUsable(deps, retained.index))) return;
  const isRetained = { _id: 'search', 'retained.index': retained.index } as const;
  // A running rebuild needs its targets, and drops the index by itself.
  const { matchedCount } = await store.updateOne(
    { ...isRetained, 'rebuild.state': { $ne: 'running' } },
    { $set: { targets: [] } },
  );
  if (matchedCount === 0) return;
  const { index: live } = await readSearchIndex(deps.elasticsearch, deps.namespace);
  if (live !== retained.index && (await indexExists(deps, retained.index))) {
    await dropGenerations(deps, live, [retained.index]);
    deps.logger.info({ index: retained.index }, 'The replaced search index was dropped');
  }
  // The index is forgotten only after it was dropped. Otherwise an index that nobody writes to could stay for good.
  await store.updateOne(isRetained, { $unset: { retained: '' } });
}

/**
 * Whether a replaced index stays, because its rollback window ends only at `until`. No window is longer than
 * ROLLBACK_WINDOW_MS. Where more than twice that time is left, the clock of the process that set `until` was ahead. Then
 * the window counts as over. Otherwise every write might go to both indexes for months.
 */
function isToStay(until: Date, now: Date): boolean {
  const leftMs = until.getTime() - now.getTime();
  return leftMs > 0 && leftMs <= 2 * ROLLBACK_WINDOW_MS;
}

/**
 * Whether a replaced index is there, with its data. It may have been replaced because its data were lost. Every write
 * also goes to it, and would wait for it in vain. Where the live index lacks its data, too, a node is away or starts,
 * and both come back. Where the only copy of the replaced index is on a node that is away, and the live index is
 * elsewhere, the replaced index counts as lost: writes need not wait for that node.
 */
async function isUsable(deps: Deps, index: string): Promise<boolean> {
  if (!(await indexExists(deps, index))) return false;
  const { cluster } = deps.elasticsearch;
  const found = await cluster.health({ index });
  const isComing = found.initializing_shards + found.number_of_in_flight_fetch > 0;
  if (found.status !== 'red' || isComing) return true;
  const live = await liveIndex(deps);
  return live === undefined || (await cluster.health({ index: live })).status === 'red';
}
