import type { estypes } from '@elastic/elasticsearch';
import { SEARCH_LIMITS, type SearchParams } from '../../../shared/contract/search.js';
import { searchIndex, type Request, type SearchDeps } from './askElasticsearch.js';
import { commonWords } from './commonWords.js';
import type { ParsedQuery } from './parseQuery.js';
import type { Hit } from './presentResults.js';
import { buildRequest, buildSteps, FULL_ORDER, mayStep, type Counts } from './searchRequest.js';

/** A page of hits, in order, and how many documents of each kind match. */
export interface Found {
  hits: Hit[];
  threadCount: number;
  messageCount: number;
}

type Answer = estypes.SearchResponse<NonNullable<Hit['_source']>, Counts>;

const ask = searchIndex<NonNullable<Hit['_source']>, Counts>;

/** Finds a page of results. How it asks depends on whether the words of the query are known to be common. */
export async function findPage(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
): Promise<Found> {
  const words = commonWords(deps.elasticsearch);
  const isCommon = mayStep(params) && words.areAll(parsed);
  const found = await (isCommon ? askInSteps : askAtOnce)(deps, parsed, params);
  words.learn(parsed, found.threadCount + found.messageCount);
  return found;
}

async function askAtOnce(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
): Promise<Found> {
  const { answer, hits } = await fetchPage(deps, buildRequest(parsed, params));
  return { hits, ...countsOf(answer) };
}

/**
 * Asks in steps. Where matches are very many, the strongest ones mostly fill the page. The others are only counted,
 * without scores.
 */
async function askInSteps(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
): Promise<Found> {
  const { strongest, page, counts } = buildSteps(parsed, params);
  const [{ hits }, answer] = await Promise.all([fetchPage(deps, strongest), ask(deps, counts)]);
  const isFull = hits.length === params.limit;
  return { hits: isFull ? hits : (await fetchPage(deps, page)).hits, ...countsOf(answer) };
}

/**
 * A page of hits, ordered by score, then newest first, then by the higher id, then thread before message. Elasticsearch
 * orders them by score and time only: these are numbers, which are cheap to compare. Hits that are equal in both are
 * ordered here. For this, one more hit is fetched on either side of the page. If it is equal to its neighbour on the
 * page, the page is asked for once more, in full order.
 */
async function fetchPage(
  deps: SearchDeps,
  request: Request & { from: number; size: number },
): Promise<{ answer: Answer; hits: Hit[] }> {
  const { from, size } = request;
  const before = Math.min(from, 1);
  const behind = from + size < SEARCH_LIMITS.results ? 1 : 0;
  const wider = { ...request, from: from - before, size: before + size + behind };
  const answer = await ask(deps, wider);
  const all = answer.hits.hits;
  const hits = all.slice(before, before + size);
  const isCut = areEqual(all[before - 1], hits[0]) || areEqual(hits.at(-1), all[before + size]);
  if (!isCut) return { answer, hits: hits.sort(inOrder) };
  const ordered = await ask(deps, { ...request, sort: FULL_ORDER });
  return { answer, hits: ordered.hits.hits };
}

/** Whether two hits are equal in score and time. */
function areEqual(one: Hit | undefined, other: Hit | undefined): boolean {
  return one !== undefined && other !== undefined && byScoreAndTime(one, other) === 0;
}

function byScoreAndTime({ sort: one = [] }: Hit, { sort: other = [] }: Hit): number {
  return Number(other[0]) - Number(one[0]) || Number(other[1]) - Number(one[1]);
}

function inOrder(one: Hit, other: Hit): number {
  const keyOf = ({ _source: found }: Hit): string => `${found?.idKey} ${found?.kind}`;
  return byScoreAndTime(one, other) || (keyOf(one) < keyOf(other) ? 1 : -1);
}

function countsOf({ hits, aggregations }: Answer): Omit<Found, 'hits'> {
  const total = hits.total as estypes.SearchTotalHits;
  const threadCount = aggregations?.threads.value ?? 0;
  return { threadCount, messageCount: total.value - threadCount };
}
