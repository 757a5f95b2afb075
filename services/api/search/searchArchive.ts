import { createHash } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import type { SearchParams, SearchResponse } from '../../../shared/contract/search.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { askElasticsearch, CALL_LIMITS, type SearchDeps } from './askElasticsearch.js';
import { buildHighlightQuery, buildQuery, WEAK_BELOW } from './buildQuery.js';
import { PASSAGE } from './clipPassage.js';
import { parseQuery, type ParsedQuery } from './parseQuery.js';
import { presentResults, type Hit } from './presentResults.js';
import { suggestCorrection } from './suggestCorrection.js';

interface Answer {
  hits: Hit[];
  threadCount: number;
  messageCount: number;
}

/** SPEC 4.8. Throws VALIDATION_ERROR for too many terms, UNAVAILABLE while Elasticsearch cannot answer. */
export async function searchArchive(
  deps: SearchDeps,
  params: SearchParams,
): Promise<SearchResponse> {
  const parsed = parseQuery(params.q);
  if (parsed.terms.length === 0) return present(params, NOTHING, null);
  const answer = await ask(deps, parsed, params);
  if (answer.threadCount + answer.messageCount > 0) return present(params, answer, null);
  const suggestion = await suggestCorrection(deps, parsed, async (corrected) => {
    const found = await ask(deps, parseQuery(corrected), { ...params, limit: 0, offset: 0 });
    return found.threadCount + found.messageCount > 0;
  });
  return present(params, answer, suggestion);
}

const NOTHING: Answer = { hits: [], threadCount: 0, messageCount: 0 };

async function ask(
  { elasticsearch, namespace }: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
): Promise<Answer> {
  const request = buildRequest(parsed, params);
  const { hits, aggregations } = await askElasticsearch(() =>
    elasticsearch.search<
      NonNullable<Hit['_source']>,
      { kinds: estypes.AggregationsStringTermsAggregate }
    >({ index: searchAlias(namespace), ...request }, CALL_LIMITS),
  );
  const kinds = (aggregations?.kinds.buckets ?? []) as estypes.AggregationsStringTermsBucket[];
  const countOf = (kind: string) => kinds.find(({ key }) => key === kind)?.doc_count ?? 0;
  return { hits: hits.hits, threadCount: countOf('thread'), messageCount: countOf('message') };
}

/** The whole question as Elasticsearch takes it. */
export function buildRequest(
  parsed: ParsedQuery,
  params: SearchParams,
): Omit<estypes.SearchRequest, 'index'> {
  return {
    query: buildQuery(parsed, params),
    // A limit costs a third of the query's time, and 0.5 is where the matches start anyway.
    ...(params.minScore === WEAK_BELOW ? {} : { min_score: params.minScore }),
    from: params.offset,
    size: params.limit,
    // The last one tells a thread from the message that began it, which may share its id.
    sort: ['_score', { createdAt: 'desc' }, { idKey: 'desc' }, { kind: 'desc' }],
    track_total_hits: false,
    aggs: { kinds: { terms: { field: 'kind' } } },
    highlight: buildHighlight(parsed, params),
    allow_partial_search_results: false,
    // Copies of a shard count deleted documents differently: one query, one copy, so that its pages agree.
    preference: createHash('sha256').update(parsed.text).digest('hex').slice(0, 16),
  };
}

/** The server escapes what it quotes (encoder html), so that the only markup left is the mark. */
function buildHighlight(parsed: ParsedQuery, params: SearchParams): estypes.SearchHighlight {
  const field = (name: string, passages: number) => ({
    [name]: { matched_fields: [name, `${name}.stem`], number_of_fragments: passages },
  });
  return {
    encoder: 'html',
    pre_tags: ['<mark>'],
    post_tags: ['</mark>'],
    fragment_size: PASSAGE,
    order: 'score',
    highlight_query: buildHighlightQuery(parsed, params),
    fields: { ...field('title', 0), ...field('conversation', 1), ...field('content', 1) },
  };
}

function present(
  params: SearchParams,
  { hits, threadCount, messageCount }: Answer,
  suggestion: string | null,
): SearchResponse {
  return {
    query: params.q,
    results: presentResults(hits),
    total: threadCount + messageCount,
    threadCount,
    messageCount,
    suggestion,
  };
}
