import type { Client, estypes } from '@elastic/elasticsearch';
import type { SearchDocument } from '../../../shared/store/searchIndex.js';
import type { IdWindow } from '../records/idWindow.js';

/** A document of the search index, without its text. */
export interface FoundDocument {
  id: string;
  /** Absent in a document that this archive did not write. */
  kind: SearchDocument['kind'] | undefined;
  threadId: string;
  version: number;
}

/** The most documents that Elasticsearch returns at once. */
const PAGE = 10_000;

/**
 * Yields the documents of a window's threads, page by page. They are in order of thread, then document, as MongoDB
 * orders ids.
 */
export async function* searchDocuments(
  elasticsearch: Client,
  index: string,
  window: IdWindow,
): AsyncGenerator<FoundDocument[]> {
  const request: estypes.SearchRequest = {
    index,
    size: PAGE,
    query: { bool: { filter: [ofThreads(window)] } },
    sort: [{ threadId: 'asc' }, { idKey: 'asc' }, { kind: 'asc' }],
    docvalue_fields: ['threadId', 'kind'],
    _source: false,
    version: true,
    track_total_hits: false,
  };
  for (let after: estypes.SortResults | undefined; ;) {
    const { hits } = await elasticsearch.search({
      ...request,
      ...(after && { search_after: after }),
    });
    yield hits.hits.map(documentOf);
    after = hits.hits.at(-1)?.sort;
    if (!after || hits.hits.length < PAGE) return;
  }
}

function ofThreads(window: IdWindow): estypes.QueryDslQueryContainer {
  if ('ids' in window) return { terms: { threadId: window.ids } };
  const { after, upTo } = window;
  return { range: { threadId: { gt: after, ...(upTo !== undefined && { lte: upTo }) } } };
}

function documentOf({ _id, _version, fields }: estypes.SearchHit): FoundDocument {
  const { threadId, kind } = fields as { threadId: [string]; kind?: [SearchDocument['kind']] };
  return { id: _id ?? '', kind: kind?.[0], threadId: threadId[0], version: _version ?? 0 };
}
