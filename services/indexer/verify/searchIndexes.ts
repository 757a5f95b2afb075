import { stateOf } from '../../../shared/store/state.js';
import type { IndexerDeps } from '../deps.js';
import { SearchIndexLost } from '../permanentErrors.js';
import { indexExists, liveIndex } from '../search/generations.js';

type Deps = Pick<IndexerDeps, 'collections' | 'elasticsearch' | 'namespace'>;

/**
 * Resolves with the names of the indexes that must hold every document. These are the index behind the search alias,
 * and the former index while it is kept after a rebuild. An index that a rebuild is still filling is left out. Throws
 * SearchIndexLost where the alias leads to no index.
 */
export async function completeIndexes(deps: Deps): Promise<string[]> {
  const live = await liveIndex(deps);
  if (live === undefined) throw new SearchIndexLost();
  const record = await stateOf(deps.collections.state, 'search').findOne({ _id: 'search' });
  const building = record?.rebuild?.state === 'done' ? undefined : record?.rebuild?.to;
  const kept: string[] = [];
  for (const index of record?.targets ?? []) {
    if (index === live || index === building) continue;
    if (await indexExists(deps, index)) kept.push(index);
  }
  return [live, ...kept];
}

/** Makes everything that was written to some indexes visible to searches. */
export async function refreshIndexes(
  { elasticsearch }: Pick<Deps, 'elasticsearch'>,
  indexes: readonly string[],
): Promise<void> {
  await elasticsearch.indices.refresh({ index: [...indexes], ignore_unavailable: true });
}
