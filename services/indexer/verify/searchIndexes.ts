import { stateOf } from '../../../shared/store/state.js';
import type { IndexerDeps } from '../deps.js';
import { SearchIndexLost } from '../permanentErrors.js';
import { indexExists, liveIndex } from '../search/generations.js';

type Deps = Pick<IndexerDeps, 'collections' | 'elasticsearch' | 'namespace'>;

/**
 * The indexes that must hold every document: the one behind the search alias, and the former one while it is kept after
 * a rebuild. An index that a rebuild is still filling is left out. Throws SearchIndexLost where the alias leads to none.
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

/** Makes everything that was written to some indexes visible. */
export async function refreshIndexes(
  { elasticsearch }: Pick<Deps, 'elasticsearch'>,
  indexes: readonly string[],
): Promise<void> {
  await elasticsearch.indices.refresh({ index: [...indexes], ignore_unavailable: true });
}
