import { batches } from '../../../shared/platform/batches.js';
import { searchAlias, type SearchDocument } from '../../../shared/store/searchIndex.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';

type Deps = Pick<IndexerDeps, 'collections' | 'elasticsearch' | 'namespace'>;

/**
 * Takes documents out of quarantine that the search index holds by now, in the refused version or a later one. Every
 * other quarantined mark goes when it is done, so it needs no such look. Returns how many documents were released.
 */
export async function releaseHealed(deps: Deps): Promise<number> {
  const { work } = deps.collections;
  let released = 0;
  for await (const marks of batches(work.find({ kind: 'document' }))) {
    for (const { _id, token } of await storedDocuments(deps, marks)) {
      // A document that was refused again meanwhile has a mark with another token, which stays.
      released += (await work.deleteOne({ _id, token })).deletedCount;
    }
  }
  return released;
}

/**
 * Those of some marks whose documents are stored by now. A tombstone of the refused version does not count: it was
 * stored in place of the refused document.
 */
async function storedDocuments({ elasticsearch, namespace }: Deps, marks: Mark[]): Promise<Mark[]> {
  const { docs } = await elasticsearch.mget<Pick<SearchDocument, 'kind'>>({
    index: searchAlias(namespace),
    ids: marks.map(({ subject }) => subject),
    _source: ['kind'],
  });
  return marks.filter(({ failure }, n) => {
    const found = docs[n]!;
    const version = 'found' in found ? (found._version ?? 0) : 0;
    const kind = 'found' in found ? found._source?.kind : undefined;
    const refused = failure?.revision ?? 0;
    return version > refused || (version === refused && kind !== 'tombstone');
  });
}
