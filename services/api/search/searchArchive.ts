import type { SearchParams, SearchResponse } from '../../../shared/contract/search.js';
import { isTimeLimit } from '../../../shared/platform/storeErrors.js';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import type { Asker } from '../asker.js';
import type { IndexDeps, SearchDeps } from './askElasticsearch.js';
import { lowestBand, WEAK_BELOW } from './buildQuery.js';
import { scoreOf } from './bands.js';
import { COSTLY_MORE, isCostly, isLong } from './cost.js';
import { findRelated, needsRelated, type Related } from './findRelated.js';
import { forgiveTypos } from './forgiveTypos.js';
import { isForeign, shorten } from './functionWords.js';
import { parseQuery, type ParsedQuery } from './parseQuery.js';
import { findPage, type Found } from './findPage.js';
import { findPassages } from './findPassages.js';
import { presentResults } from './presentResults.js';
import { relatedScore } from './relatedRequest.js';
import { mayBeCorrected, suggestCorrection } from './suggestCorrection.js';
import { withSynonyms, type Synonyms } from './synonyms.js';
import { READ_LIMIT_MS } from '../timeLimit.js';
import type { Turns } from '../turns.js';
import { Unavailable } from '../unavailable.js';

/**
 * How many tasks of one asker may run at once. `costly` tasks are whole costly searches. `further` tasks look for related
 * matches and a correction, after an ordinary search has found little. Such a task sends one request after the other. So
 * with one at a time, Elasticsearch would mostly be idle.
 */
const AT_ONCE = { costly: 1, further: 2 } as const;

/** How much of a read's time (ms) is left for finding the passages of the results. */
const PASSAGES_MS = 800;
const FURTHER_MS = READ_LIMIT_MS - PASSAGES_MS;

/** What a search of the archive needs. `turns` lets costly searches take turns. */
export interface SearchArchiveDeps extends IndexDeps {
  turns: Turns;
  /** Up to this time after its beginning (ms, default 2,000), a search waits for related matches and a correction. */
  furtherMs?: number;
  /** Words that count as others. By default there are none. */
  synonyms?: Synonyms;
}

/**
 * What an answer gets besides its results where these are poor: matches of most of the terms, and a corrected query
 * where nothing matches.
 */
interface Extras {
  related: Related;
  suggestion: string | null;
}

/** An answer, and whether everybody gets the same, however busy the servers are. */
export interface Searched {
  answer: SearchResponse;
  /** False where something was not looked for that another asker might get. */
  isWhole: boolean;
}

/**
 * A page of results. Throws RATE_LIMITED for a costly search beyond the asker's limit. Throws UNAVAILABLE while
 * Elasticsearch cannot answer, or where the turn of a costly search does not come.
 */
export async function searchArchive(
  given: SearchArchiveDeps,
  params: SearchParams,
  asker: Asker,
): Promise<Searched> {
  const deps = { ...given, asker: asker.name };
  const furtherUntil = performance.now() + (deps.furtherMs ?? FURTHER_MS);
  const parsed = withSynonyms(shorten(parseQuery(params.q)), deps.synonyms ?? new Map());
  const answer = async (found: Found, extras: Extras | null): Promise<Searched> => ({
    answer: await present(deps, parsed, params, found, extras ?? NO_EXTRAS),
    isWhole: extras !== null,
  });
  if (parsed.terms.length === 0) return answer(NOTHING, NO_EXTRAS);
  const inTurn = <T>(atOnce: number, work: () => Promise<T>): Promise<T> => {
    asker.charge(COSTLY_MORE);
    return deps.turns.take(asker.name, atOnce, work);
  };
  if (isCostly(parsed, params)) {
    const found = await inTurn(AT_ONCE.costly, () => searchAtLength(deps, parsed, params));
    return { answer: found, isWhole: true };
  }
  const found = await findPage(deps, parsed, params);
  if (!mayGain(parsed, params, found)) return answer(found, NO_EXTRAS);
  const left = furtherUntil - performance.now();
  if (left <= 0 || !asker.affords(COSTLY_MORE)) return answer(found, null);
  const look = () => inTurn(AT_ONCE.further, () => findExtras(deps, parsed, params, found));
  return answer(found, await withTimeout(left, look).catch(nullIfUnavailable));
}

/**
 * Does a costly search, and looks for extras where it finds little. It looks for weak matches only where the query is
 * not long: a long one is only searched as written and inflected.
 */
async function searchAtLength(
  deps: SearchDeps,
  parsed: ParsedQuery,
  given: SearchParams,
): Promise<SearchResponse> {
  const isForgiving = given.minScore < WEAK_BELOW && !isLong(parsed);
  const params = isForgiving ? given : { ...given, minScore: Math.max(WEAK_BELOW, given.minScore) };
  const asked = isForgiving ? await forgiveTypos(deps, parsed) : parsed;
  const found = await findPage(deps, asked, params);
  return present(deps, asked, params, found, await findExtras(deps, asked, params, found));
}

/** Whether related matches or a correction are looked for. */
function mayGain(parsed: ParsedQuery, params: SearchParams, found: Found): boolean {
  return isCorrectable(parsed, found) || needsRelated(parsed, params, strengthOf(found, params));
}

async function findExtras(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
  found: Found,
): Promise<Extras> {
  const related = needsRelated(parsed, params, strengthOf(found, params))
    ? await findRelated(deps, parsed, params, found)
    : NO_EXTRAS.related;
  const isCorrected = isCorrectable(parsed, found);
  return { related, suggestion: isCorrected ? await correctionOf(deps, parsed, params) : null };
}

/** Whether a correction is looked for. A query in another language is not corrected into English. */
function isCorrectable(parsed: ParsedQuery, found: Found): boolean {
  return !isFound(found) && mayBeCorrected(parsed) && !isForeign(parsed);
}

function strengthOf({ hits, threadCount, messageCount }: Found, params: SearchParams) {
  const best = hits[0] ? scoreOf(hits[0]._score ?? 0, lowestBand(params)) : 0;
  return { total: threadCount + messageCount, best };
}

/**
 * Looks for a correction that finds something. It consists of words of the archive, so no typos have to be forgiven.
 */
function correctionOf(deps: SearchDeps, parsed: ParsedQuery, params: SearchParams) {
  const minScore = Math.max(WEAK_BELOW, params.minScore);
  const best = { ...params, minScore, limit: 1, offset: 0 };
  return suggestCorrection(deps, parsed, async (corrected) => {
    const { hits } = await findPage(deps, parseQuery(corrected), best);
    return hits[0];
  });
}

/**
 * Null where the error means that extras cannot be had now. The answer is then sent without them. Throws any other
 * error.
 */
function nullIfUnavailable(error: unknown): null {
  if (isTimeLimit(error) || error instanceof Unavailable) return null;
  throw error;
}

function isFound({ threadCount, messageCount }: Found): boolean {
  return threadCount + messageCount > 0;
}

const NO_EXTRAS: Extras = { related: { hits: [], terms: [] }, suggestion: null };
const NOTHING: Found = { hits: [], threadCount: 0, messageCount: 0 };

/**
 * Makes the answer. Every thread in it gets a passage. Where there are related matches, all passages are chosen by the
 * telling terms.
 */
async function present(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
  { hits, threadCount, messageCount }: Found,
  { related, suggestion }: Extras,
): Promise<SearchResponse> {
  const terms = related.hits.length === 0 ? parsed.terms : related.terms;
  const passages = await findPassages(deps, { ...parsed, terms }, [...hits, ...related.hits]);
  return {
    query: params.q,
    results: presentResults(hits, passages, (given) => scoreOf(given, lowestBand(params))),
    total: threadCount + messageCount,
    threadCount,
    messageCount,
    related: presentResults(related.hits, passages, relatedScore),
    suggestion,
  };
}
