import { searchAlias, type SearchDocument } from '../../../shared/store/searchIndex.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';

type Deps = Pick<IndexerDeps, 'collections' | 'elasticsearch' | 'namespace'>;

/** The ids of all marks of documents lie between these two. */
const FIRST = 'document/';
const END = 'document0';
/** How many documents one look asks the search index for. There may be very many, and looks are frequent. */
const MOST_ASKED = 500;

/**
 * Makes a function that takes refused documents out of quarantine. Each call asks the search index for the next `most`
 * quarantined documents, and begins again with the first after the last. A document is released where the index holds
 * it by now, in the refused version or a later one. The call resolves with how many were released. Quarantined marks of
 * other kinds need no such look, because each of them is removed when its work is done.
 */
export function releaseHealed(deps: Deps, most = MOST_ASKED): () => Promise<number> {
  const { work } = deps.collections;
  let after = FIRST;
  return async () => {
    const marks = await work
      .find({ _id: { $gt: after, $lt: END } })
      .sort({ _id: 1 })
      .limit(most)
      .toArray();
    let released = 0;
    for (const { _id, token } of await storedDocuments(deps, marks)) {
      // A document that was refused again meanwhile has a mark with another token, which stays.
      released += (await work.deleteOne({ _id, token })).deletedCount;
    }
    after = marks.length === most ? marks.at(-1)!._id : FIRST;
    return released;
  };
}

/**
 * Those of some marks whose documents are stored by now. A tombstone of the refused version does not count: it was
 * stored in place of the refused document.
 */
async function storedDocuments(
  { elasticsearch, namespace }: Deps,
  marks: readonly Mark[],
): Promise<Mark[]> {
  if (marks.length === 0) return [];
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
