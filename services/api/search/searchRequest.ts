import { createHash } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import type { SearchParams } from '../../../shared/contract/search.js';
import { givenFor } from './bands.js';
import {
  buildCountQuery,
  buildHighlightQuery,
  buildPassageQuery,
  buildQuery,
  buildStrongest,
  lowestBand,
  WEAK_BELOW,
} from './buildQuery.js';
import { PASSAGE } from './clipPassage.js';
import type { Query, TextField } from './matchTerms.js';
import type { ParsedQuery } from './parseQuery.js';
import { buildRelatedQuery, type SoughtWords } from './relatedRequest.js';

export type Request = Omit<estypes.SearchRequest, 'index'>;

/** The most related matches of one answer. */
const MOST_RELATED = 20;
/** Best first, then newest. */
const ORDER: estypes.Sort = ['_score', { createdAt: 'desc' }];
/** The last one tells a thread from the message that began it, which may share its id. */
export const FULL_ORDER: estypes.Sort = [...ORDER, { idKey: 'desc' }, { kind: 'desc' }];

/** What counts the matches: all, and the threads among them. */
const COUNTED = {
  track_total_hits: true,
  // Threads alone have this number, and numbers are quickly counted.
  aggs: { threads: { value_count: { field: 'messageCount' } } },
} satisfies Request;

export interface Counts {
  threads: estypes.AggregationsValueCountAggregate;
}

interface PageRequest extends Request {
  from: number;
  size: number;
}

/** A page of what a question finds, in order, and how many threads and messages it finds. */
export function buildRequest(parsed: ParsedQuery, params: SearchParams): PageRequest {
  return { ...pageRequest(parsed, params, buildQuery(parsed, params)), ...COUNTED };
}

/**
 * The same question in steps: a page of the strongest matches alone; where these do not fill it, of all; and the
 * counts, for which nothing is scored.
 */
export interface Steps {
  strongest: PageRequest;
  page: PageRequest;
  counts: Request;
}

/** The last result of a page that the strongest matches may fill. */
const STEPPED = 200;

/**
 * Whether a question about common words is best asked in steps: for a page near the first, and without filters that
 * leave few matches.
 */
export function mayStep({ minScore, limit, offset, ...filters }: SearchParams): boolean {
  const { channelId, tag, authorId, hasAttachment, after, before, status } = filters;
  const narrow = [channelId, tag, authorId, hasAttachment, after, before];
  return (
    minScore === WEAK_BELOW &&
    offset + limit <= STEPPED &&
    status === 'all' &&
    narrow.every((value) => value === undefined)
  );
}

/** The steps of a question about matches of 0.5 and more. */
export function buildSteps(parsed: ParsedQuery, params: SearchParams): Steps {
  const counts: Request = {
    ...COUNTED,
    query: { bool: { filter: [buildCountQuery(parsed, params)] } },
    size: 0,
    ...wholeAnswer(parsed),
  };
  const strongest = pageRequest(parsed, params, buildStrongest(parsed, params));
  return { strongest, page: pageRequest(parsed, params, buildQuery(parsed, params)), counts };
}

function pageRequest(parsed: ParsedQuery, params: SearchParams, query: Query): PageRequest {
  return {
    query,
    ...(params.minScore === WEAK_BELOW
      ? {}
      : { min_score: givenFor(params.minScore, lowestBand(params)) }),
    from: params.offset,
    size: params.limit,
    sort: ORDER,
    track_total_hits: false,
    highlight: buildHighlight(parsed, params),
    ...wholeAnswer(parsed),
  };
}

/** The best matches of the telling terms, one of each thread. */
export function buildRelated(
  words: SoughtWords,
  parsed: ParsedQuery,
  params: SearchParams,
  shown: readonly string[],
): Request {
  return {
    query: buildRelatedQuery(words, params, shown),
    collapse: { field: 'threadId' },
    size: Math.min(params.limit, MOST_RELATED),
    sort: ORDER,
    track_total_hits: false,
    highlight: buildHighlight(parsed, params),
    ...wholeAnswer(parsed),
  };
}

/** For each of some threads the message that matches best, with a passage of it. */
export function buildPassages(parsed: ParsedQuery, threadIds: readonly string[]): Request {
  return {
    query: buildPassageQuery(parsed, threadIds),
    collapse: { field: 'threadId' },
    size: threadIds.length,
    _source: false,
    track_total_hits: false,
    highlight: { ...MARKS, fields: fieldOf(parsed, 'content', 1, false) },
    ...wholeAnswer(parsed),
  };
}

/**
 * The most results of a page on which the beginnings of words are marked: for these Elasticsearch analyses the text
 * again, which is too much for a large page.
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

/**
 * What every request says of the index: a part of it is not enough, and one query always asks the same copy. Copies of a
 * shard count deleted documents differently, so the pages of a query would not agree.
 */
function wholeAnswer({ text }: ParsedQuery) {
  const preference = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { allow_partial_search_results: false, preference };
}
