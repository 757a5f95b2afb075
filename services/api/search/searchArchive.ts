import type { estypes } from '@elastic/elasticsearch';
import { AppError } from '../../../shared/contract/errors.js';
import type { SearchParams, SearchResponse } from '../../../shared/contract/search.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import type { Asker } from '../asker.js';
import { askElasticsearch, CALL_LIMITS, type SearchDeps } from './askElasticsearch.js';
import { WEAK_BELOW } from './buildQuery.js';
import { commonWords } from './commonWords.js';
import { COSTLY_MORE, isCostly } from './cost.js';
import { forgiveTypos, mayForgive } from './forgiveTypos.js';
import { parseQuery, type ParsedQuery } from './parseQuery.js';
import { presentResults, type Hit } from './presentResults.js';
import { buildRequest, buildSteps, mayStep } from './searchRequest.js';
import { mayBeCorrected, suggestCorrection } from './suggestCorrection.js';
import type { Turns } from './turns.js';

/** What a search of the archive needs; costly ones take turns. */
export interface SearchArchiveDeps extends SearchDeps {
  turns: Turns;
}

interface Answer {
  hits: Hit[];
  threadCount: number;
  messageCount: number;
}

/**
 * A page of what a query finds. Throws VALIDATION_ERROR for too many terms, RATE_LIMITED for a costly search that the asker's limit does not
 * reach for, and UNAVAILABLE while Elasticsearch cannot answer or the turn of a costly search does not come.
 */
export async function searchArchive(
  deps: SearchArchiveDeps,
  params: SearchParams,
  asker: Asker,
): Promise<SearchResponse> {
  const parsed = parseQuery(params.q);
  if (parsed.terms.length === 0) return present(params, NOTHING, null);
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    asker.charge(COSTLY_MORE);
    return deps.turns.take(asker.name, work);
  };
  if (isCostly(parsed, params)) return inTurn(() => searchAtLength(deps, parsed, params));
  const answer = await ask(deps, parsed, params);
  if (isFound(answer) || !mayBeCorrected(parsed) || !asker.affords(COSTLY_MORE)) {
    return present(params, answer, null);
  }
  const suggestion = await inTurn(() => correctionOf(deps, parsed, params)).catch(
    nullIfUnavailable,
  );
  return present(params, answer, suggestion);
}

/** A costly search, and a correction where it finds nothing. */
async function searchAtLength(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
): Promise<SearchResponse> {
  const answer = await askForgiving(deps, parsed, params);
  const isCorrected = !isFound(answer) && mayBeCorrected(parsed);
  return present(params, answer, isCorrected ? await correctionOf(deps, parsed, params) : null);
}

/** Weak matches only where minScore asks for them and the query is short enough. */
async function askForgiving(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
): Promise<Answer> {
  if (params.minScore >= WEAK_BELOW) return ask(deps, parsed, params);
  if (!mayForgive(parsed)) return ask(deps, parsed, { ...params, minScore: WEAK_BELOW });
  return ask(deps, await forgiveTypos(deps, parsed), params);
}

/** A correction must find something as it stands: it holds words of the archive, so nothing need be forgiven. */
function correctionOf(deps: SearchDeps, parsed: ParsedQuery, params: SearchParams) {
  const minScore = Math.max(WEAK_BELOW, params.minScore);
  const found = { ...params, minScore, limit: 0, offset: 0 };
  return suggestCorrection(deps, parsed, async (corrected) =>
    isFound(await ask(deps, parseQuery(corrected), found)),
  );
}

/** A correction is an extra: what was answered without it stands. */
function nullIfUnavailable(error: unknown): null {
  if (error instanceof AppError && error.code === 'UNAVAILABLE') return null;
  throw error;
}

function isFound({ threadCount, messageCount }: Answer): boolean {
  return threadCount + messageCount > 0;
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
