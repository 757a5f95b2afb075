import { createHash } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import type { SearchParams } from '../../../shared/contract/search.js';
import { givenFor } from './bands.js';
import {
  buildCountQuery,
  buildHighlightQuery,
  buildPassageQuery,
  buildQuery,
  lowestBand,
  WEAK_BELOW,
} from './buildQuery.js';
import { PASSAGE } from './clipPassage.js';
import type { TextField } from './matchTerms.js';
import type { ParsedQuery } from './parseQuery.js';
import { buildRelatedQuery, type Telling } from './relatedRequest.js';

type Request = Omit<estypes.SearchRequest, 'index'>;

/** The last one tells a thread from the message that began it, which may share its id. */
const ORDER: estypes.Sort = ['_score', { createdAt: 'desc' }, { idKey: 'desc' }, { kind: 'desc' }];
const KINDS = { kinds: { terms: { field: 'kind' } } };

/** A page of what a question finds, in order, and how many threads and messages it finds. */
export function buildRequest(parsed: ParsedQuery, params: SearchParams): Request {
  return { ...pageRequest(parsed, params), aggs: KINDS };
}

/** The same question in two: a page, for which weak matches are passed over, and the counts, for which nothing is scored. */
export interface Steps {
  page: Request;
  counts: Request;
}

/** Whether a question may be asked in two: all its matches count, so that none need be scored to be counted. */
export function mayStep({ minScore }: SearchParams): boolean {
  return minScore === WEAK_BELOW;
}

/** The steps of a question about matches of 0.5 and more. */
export function buildSteps(parsed: ParsedQuery, params: SearchParams): Steps {
  const counts: Request = {
    query: { bool: { filter: [buildCountQuery(parsed, params)] } },
    aggs: KINDS,
    size: 0,
    track_total_hits: false,
    allow_partial_search_results: false,
    preference: preferenceOf(parsed),
  };
  return { page: pageRequest(parsed, params), counts };
}

function pageRequest(parsed: ParsedQuery, params: SearchParams): Request {
  return {
    query: buildQuery(parsed, params),
    ...(mayStep(params) ? {} : { min_score: givenFor(params.minScore, lowestBand(params)) }),
    from: params.offset,
    size: params.limit,
    sort: ORDER,
    track_total_hits: false,
    highlight: buildHighlight(parsed, params),
    allow_partial_search_results: false,
    preference: preferenceOf(parsed),
  };
}

/** The most related matches of one answer. */
const MOST_RELATED = 20;

/** The best matches of the telling terms, one of each thread. */
export function buildRelated(
  telling: readonly Telling[],
  parsed: ParsedQuery,
  params: SearchParams,
  shown: readonly string[],
): Request {
  return {
    query: buildRelatedQuery(telling, params, shown),
    collapse: { field: 'threadId' },
    size: Math.min(params.limit, MOST_RELATED),
    sort: ORDER,
    track_total_hits: false,
    highlight: buildHighlight(parsed, params),
    allow_partial_search_results: false,
    preference: preferenceOf(parsed),
  };
}

/** For each of some threads the message that matches best, with a passage of it. */
export function buildPassages(parsed: ParsedQuery, threadIds: readonly string[]): Request {
  return {
    query: buildPassageQuery(parsed, threadIds),
    collapse: { field: 'threadId' },
    size: threadIds.length,
    _source: ['threadId'],
    track_total_hits: false,
    highlight: { ...MARKS, fields: fieldOf(parsed, 'content', 1, false) },
    allow_partial_search_results: false,
    preference: preferenceOf(parsed),
  };
}

/**
 * The most results of a page on which the beginnings of words are marked: for these Elasticsearch analyses the text again,
 * which is too much for a large page.
 */
const BEGUN_MARKED = 20;

/** The server escapes what it quotes (encoder html), so that the only markup left is the mark. */
const MARKS: Omit<estypes.SearchHighlight, 'fields'> = {
  encoder: 'html',
  pre_tags: ['<mark>'],
  post_tags: ['</mark>'],
  fragment_size: PASSAGE,
  order: 'score',
};

function buildHighlight(
  parsed: ParsedQuery,
  { minScore, limit }: SearchParams,
): estypes.SearchHighlight {
  const begun = minScore < WEAK_BELOW && limit <= BEGUN_MARKED;
  const fields = { ...fieldOf(parsed, 'title', 0, begun), ...fieldOf(parsed, 'content', 1, begun) };
  return { ...MARKS, fields };
}

function fieldOf(parsed: ParsedQuery, name: TextField, passages: number, begun: boolean) {
  const highlight_query = buildHighlightQuery(parsed, name, begun);
  return { [name]: { number_of_fragments: passages, highlight_query } };
}

/** Copies of a shard count deleted documents differently: one query, one copy, so that its pages agree. */
function preferenceOf({ text }: ParsedQuery): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
