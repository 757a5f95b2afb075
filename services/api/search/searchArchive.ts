import type { estypes } from '@elastic/elasticsearch';
import type { SearchParams, SearchResponse } from '../../../shared/contract/search.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { askElasticsearch, CALL_LIMITS, type SearchDeps } from './askElasticsearch.js';
import { commonWords } from './commonWords.js';
import { parseQuery, type ParsedQuery } from './parseQuery.js';
import { presentResults, type Hit } from './presentResults.js';
import { buildRequest, buildSteps, mayStep } from './searchRequest.js';
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

async function ask(deps: SearchDeps, parsed: ParsedQuery, params: SearchParams): Promise<Answer> {
  const words = commonWords(deps.elasticsearch);
  if (words.areAll(parsed) && mayStep(params)) return askInSteps(deps, parsed, params);
  const { hits, aggregations } = await search(deps, buildRequest(parsed, params));
  const answer = { hits: hits.hits, ...countsOf(aggregations) };
  words.learn(parsed, answer.threadCount + answer.messageCount);
  return answer;
}

/** Titles alone often fill a page: then nothing else of very many matches need be scored, only counted. */
async function askInSteps(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
): Promise<Answer> {
  const steps = buildSteps(parsed, params);
  const [counted, titles] = await Promise.all([
    search(deps, steps.counts),
    search(deps, steps.titles),
  ]);
  const counts = countsOf(counted.aggregations);
  const { total } = titles.hits;
  const listed = typeof total === 'number' ? total : (total?.value ?? 0);
  if (params.offset + params.limit <= listed) return { hits: titles.hits.hits, ...counts };
  return { hits: (await search(deps, steps.all)).hits.hits, ...counts };
}

interface Kinds {
  kinds: estypes.AggregationsStringTermsAggregate;
}

function search(
  { elasticsearch, namespace }: SearchDeps,
  request: ReturnType<typeof buildRequest>,
) {
  return askElasticsearch(() =>
    elasticsearch.search<NonNullable<Hit['_source']>, Kinds>(
      { index: searchAlias(namespace), ...request },
      CALL_LIMITS,
    ),
  );
}

function countsOf(found: Kinds | undefined): Pick<Answer, 'threadCount' | 'messageCount'> {
  const kinds = (found?.kinds.buckets ?? []) as estypes.AggregationsStringTermsBucket[];
  const countOf = (kind: string) => kinds.find(({ key }) => key === kind)?.doc_count ?? 0;
  return { threadCount: countOf('thread'), messageCount: countOf('message') };
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
