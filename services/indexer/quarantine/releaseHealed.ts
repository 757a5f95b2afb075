import { batches } from '../../../shared/platform/batches.js';
import { searchAlias, type SearchDocument } from '../../../shared/store/searchIndex.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';

type Deps = Pick<IndexerDeps, 'collections' | 'elasticsearch' | 'namespace'>;

/**
 * Takes documents out of quarantine that are stored by now, or have given way to newer ones. Everything else that was
 * quarantined goes with its mark, when that is done. Returns how many.
 */
export async function releaseHealed(deps: Deps): Promise<number> {
  const { work } = deps.collections;
  let lifted = 0;
  for await (const marks of batches(work.find({ kind: 'document' }))) {
    for (const { _id, token } of await storedDocuments(deps, marks)) {
      // One that was refused again meanwhile has another token, and stays.
      lifted += (await work.deleteOne({ _id, token })).deletedCount;
    }
  }
  return lifted;
}

/** A tombstone of the refused version itself only stands for what was refused. */
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
