import { stateOf } from '../../../shared/store/state.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import type { IndexerDeps } from '../deps.js';
import { SearchIndexLost } from '../permanentErrors.js';
import { indexExists, liveIndex } from '../search/generations.js';

type Deps = Pick<IndexerDeps, 'collections' | 'elasticsearch' | 'namespace'>;

/**
 * The indexes that must hold every document: the one behind the search alias, and the former one while it is kept after
 * a rebuild. An index that a rebuild is still filling is left out. Where the alias leads to none, only a repair makes
 * one: searches would go on with an empty index, and find nothing, instead of saying that they cannot be answered.
 */
export async function completeIndexes(
  deps: Deps,
  { repair }: { repair: boolean },
): Promise<string[]> {
  const name = searchAlias(deps.namespace);
  if (!repair && !(await deps.elasticsearch.indices.existsAlias({ name })))
    throw new SearchIndexLost();
  const live = await liveIndex(deps);
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
