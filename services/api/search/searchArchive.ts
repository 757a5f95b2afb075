import { AppError } from '../../../shared/contract/errors.js';
import type { SearchParams, SearchResponse } from '../../../shared/contract/search.js';
import type { Asker } from '../asker.js';
import type { SearchDeps } from './askElasticsearch.js';
import { lowestBand, WEAK_BELOW } from './buildQuery.js';
import { scoreOf } from './bands.js';
import { COSTLY_MORE, isCostly } from './cost.js';
import { findRelated, needsRelated } from './findRelated.js';
import { forgiveTypos, mayForgive } from './forgiveTypos.js';
import { isForeign } from './functionWords.js';
import { parseQuery, type ParsedQuery } from './parseQuery.js';
import { findPage, type Found } from './findPage.js';
import { findPassages } from './findPassages.js';
import { presentResults } from './presentResults.js';
import { mayBeCorrected, suggestCorrection } from './suggestCorrection.js';
import { withSynonyms, type Synonyms } from './synonyms.js';
import type { Turns } from './turns.js';

/** What a search of the archive needs; costly ones take turns. */
export interface SearchArchiveDeps extends SearchDeps {
  turns: Turns;
  /** Words that count as others; none by default. */
  synonyms?: Synonyms;
}

interface Answer extends Found {
  /** A passage of the best message of each thread that was found, by thread id. */
  passages: ReadonlyMap<string, string>;
}

/** What is looked for where an answer is poor: matches of most of the terms, and a corrected query where there is no match. */
type Extras = Pick<SearchResponse, 'related' | 'suggestion'>;

/**
 * A page of what a query finds. Throws VALIDATION_ERROR for too many terms, RATE_LIMITED for a costly search that the asker's limit does not
 * reach for, and UNAVAILABLE while Elasticsearch cannot answer or the turn of a costly search does not come.
 */
export async function searchArchive(
  deps: SearchArchiveDeps,
  params: SearchParams,
  asker: Asker,
): Promise<SearchResponse> {
  const parsed = withSynonyms(parseQuery(params.q), deps.synonyms ?? new Map());
  if (parsed.terms.length === 0) return present(params, NOTHING, NO_EXTRAS);
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    asker.charge(COSTLY_MORE);
    return deps.turns.take(asker.name, work);
  };
  if (isCostly(parsed, params)) return inTurn(() => searchAtLength(deps, parsed, params));
  const answer = await ask(deps, parsed, params);
  if (!mayGain(parsed, params, answer) || !asker.affords(COSTLY_MORE)) {
    return present(params, answer, NO_EXTRAS);
  }
  const extras = await inTurn(() => findExtras(deps, parsed, params, answer)).catch(
    noneIfUnavailable,
  );
  return present(params, answer, extras);
}

/** A costly search, with what is looked for where it finds little. */
async function searchAtLength(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
): Promise<SearchResponse> {
  const answer = await askForgiving(deps, parsed, params);
  return present(params, answer, await findExtras(deps, parsed, params, answer));
}

/** Whether anything more is looked for. */
function mayGain(parsed: ParsedQuery, params: SearchParams, answer: Answer): boolean {
  return isCorrectable(parsed, answer) || needsRelated(parsed, params, strengthOf(answer, params));
}

async function findExtras(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
  answer: Answer,
): Promise<Extras> {
  const shown = answer.hits.map(({ _source: found }) => found?.threadId ?? '');
  const related = needsRelated(parsed, params, strengthOf(answer, params))
    ? await findRelated(deps, parsed, params, [...new Set(shown)])
    : NO_EXTRAS.related;
  const isCorrected = isCorrectable(parsed, answer);
  return { related, suggestion: isCorrected ? await correctionOf(deps, parsed, params) : null };
}

/** Words of another language are not corrected into English ones. */
function isCorrectable(parsed: ParsedQuery, answer: Answer): boolean {
  return !isFound(answer) && mayBeCorrected(parsed) && !isForeign(parsed);
}

function strengthOf({ hits, threadCount, messageCount }: Answer, params: SearchParams) {
  const best = hits[0] ? scoreOf(hits[0]._score ?? 0, lowestBand(params)) : 0;
  return { total: threadCount + messageCount, best };
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

/** What was answered without them stands. */
function noneIfUnavailable(error: unknown): Extras {
  if (error instanceof AppError && error.code === 'UNAVAILABLE') return NO_EXTRAS;
  throw error;
}

function isFound({ threadCount, messageCount }: Answer): boolean {
  return threadCount + messageCount > 0;
}

const NO_EXTRAS: Extras = { related: { threads: [], messages: [] }, suggestion: null };
const NOTHING: Answer = { hits: [], passages: new Map(), threadCount: 0, messageCount: 0 };

async function ask(deps: SearchDeps, parsed: ParsedQuery, params: SearchParams): Promise<Answer> {
  const found = await findPage(deps, parsed, params);
  return { ...found, passages: await findPassages(deps, parsed, found.hits) };
}

function present(
  params: SearchParams,
  { hits, passages, threadCount, messageCount }: Answer,
  extras: Extras,
): SearchResponse {
  return {
    query: params.q,
    results: presentResults(hits, passages, (given) => scoreOf(given, lowestBand(params))),
    total: threadCount + messageCount,
    threadCount,
    messageCount,
    ...extras,
  };
}
