import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { MOST_LISTED } from '../mostListed.js';

/** Looks for search documents that name no thread. The comparison of threads does not find them. */
export async function checkUnplaced({ deps, indexes }: AreaContext): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const index of indexes) {
    const { hits } = await deps.elasticsearch.search({
      index,
      size: MOST_LISTED,
      version: true,
      _source: false,
      query: { bool: { must_not: [{ exists: { field: 'threadId' } }] } },
    });
    for (const { _id: id = '', _version: version = 0 } of hits.hits) {
      const clue = { index, documents: [{ id, version }] };
      const detail = `It names no thread, in ${index}`;
      found.push({ kind: 'view.orphan', id, detail, basis: String(version), clue });
    }
  }
  return found;
}
