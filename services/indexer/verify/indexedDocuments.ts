import type { Client, estypes } from '@elastic/elasticsearch';
import type { SearchDocument } from '../../../shared/store/searchIndex.js';
import type { IdWindow, ListIds } from '../records/idWindow.js';
import { valueDigest } from '../records/mergeFields.js';

type Hit = estypes.SearchHit<Pick<FoundDocument, 'kind' | 'threadId'>>;

/** A document of the search index, with a digest in place of its text. */
export interface FoundDocument {
  id: string;
  /** Absent in a document that this archive did not write. */
  kind: SearchDocument['kind'] | undefined;
  threadId: string;
  version: number;
  digest: string;
}

/** How many documents Elasticsearch returns at once. */
const PAGE = 1_000;

/** A digest of a document. The index does not keep the stretches. Their hash tells whether they differ. */
export function documentDigest(document: object): string {
  const { stretches: _stretches, ...fields } = document as { stretches?: unknown };
  return valueDigest(fields);
}

/**
 * Yields the documents of a window's threads, page by page. They are in order of thread, then document, as MongoDB
 * orders ids.
 */
export async function* indexedDocuments(
  elasticsearch: Client,
  index: string,
  window: IdWindow,
): AsyncGenerator<FoundDocument[]> {
  const request: estypes.SearchRequest = {
    index,
    size: PAGE,
    query: { bool: { filter: [ofThreads(window)] } },
    sort: [{ threadId: 'asc' }, { idKey: 'asc' }, { kind: 'asc' }],
    version: true,
    track_total_hits: false,
  };
  for (let after: estypes.SortResults | undefined; ;) {
    const { hits } = await elasticsearch.search<NonNullable<Hit['_source']>>({
      ...request,
      ...(after && { search_after: after }),
    });
    yield hits.hits.map(documentOf);
    after = hits.hits.at(-1)?.sort;
    if (!after || hits.hits.length < PAGE) return;
  }
}

/**
 * Lists the threads that the documents of an index name, deleted documents among them. Elasticsearch takes them from the
 * terms of the index, without a search. It reads terms for a second. Where that was too short, it lists fewer, and a
 * window may then hold more threads than it should.
 */
export function indexedThreads(elasticsearch: Client, index: string): ListIds {
  return async (after, size) => {
    const { terms } = await elasticsearch.termsEnum({
      index,
      field: 'threadId',
      size,
      search_after: after,
    });
    return terms;
  };
}

function ofThreads(window: IdWindow): estypes.QueryDslQueryContainer {
  if ('ids' in window) return { terms: { threadId: window.ids } };
  const { after, upTo } = window;
  return { range: { threadId: { gt: after, ...(upTo !== undefined && { lte: upTo }) } } };
}

function documentOf({ _id = '', _version = 0, _source }: Hit): FoundDocument {
  const { kind, threadId } = _source!;
  return { id: _id, kind, threadId, version: _version, digest: documentDigest(_source!) };
}
