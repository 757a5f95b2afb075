import { createHash } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import type { SearchParams } from '../../../shared/contract/search.js';
import type { Request } from './askElasticsearch.js';
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
import type { Query, TextField } from './matchTerms.js';
import type { ParsedQuery } from './parseQuery.js';
import { buildRelatedQuery, type SoughtWords } from './relatedRequest.js';

/** The most related matches of one answer. */
const MOST_RELATED = 20;
/** Best first, then newest first. */
const ORDER: estypes.Sort = ['_score', { createdAt: 'desc' }];
/** The last key tells a thread from the message that began it, as both may have the same id. */
export const FULL_ORDER: estypes.Sort = [...ORDER, { idKey: 'desc' }, { kind: 'desc' }];

/** Aggregations that count all matches, and the threads among them. */
const COUNTED = {
  track_total_hits: true,
  // Only threads have this number, and numbers are counted quickly.
  aggs: { threads: { value_count: { field: 'messageCount' } } },
} satisfies Request;

export interface Counts {
  threads: estypes.AggregationsValueCountAggregate;
}

interface PageRequest extends Request {
  from: number;
  size: number;
}

/** Asks for a page of results, in order, and for how many threads and messages match. */
export function buildRequest(parsed: ParsedQuery, params: SearchParams): PageRequest {
  return { ...pageRequest(parsed, params, buildQuery(parsed, params)), ...COUNTED };
}

/**
 * The same question in steps. First comes a page of the strongest matches only. Where these do not fill it, a page of
 * all matches follows. The counts are asked for without scores.
 */
export interface Steps {
  strongest: PageRequest;
  page: PageRequest;
  counts: Request;
}

/** Only a page that ends with this result, or with one before it, is asked for in steps. */
const STEPPED = 200;

/**
 * Whether a question about common words is best asked in steps. That is so for one of the first pages, and without
 * filters that leave few matches.
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

/** The steps of a question about matches with a score of at least 0.5. */
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

/** Asks for the best matches of the telling terms, one from each thread. */
export function buildRelated(
  words: SoughtWords,
  parsed: ParsedQuery,
  params: SearchParams,
  excluded: Query[],
): Request {
  return {
    query: buildRelatedQuery(words, params, excluded),
    collapse: { field: 'threadId' },
    size: Math.min(params.limit, MOST_RELATED),
    sort: ORDER,
    track_total_hits: false,
    highlight: buildHighlight(parsed, params),
    ...wholeAnswer(parsed),
  };
}

/** For each of some threads, asks for the message that matches best, with a passage from it. */
export function buildPassages(parsed: ParsedQuery, threadIds: readonly string[]): Request {
  return {
    query: buildPassageQuery(parsed, threadIds),
    collapse: { field: 'threadId' },
    size: threadIds.length,
    _source: false,
    track_total_hits: false,
    highlight: { ...MARKS, fields: fieldOf(parsed, 'content', false) },
    ...wholeAnswer(parsed),
  };
}

/**
 * The most results of a page that gets marks at the beginnings of words. For such marks Elasticsearch analyses the text
 * again, which costs too much for a large page.
 */
const BEGUN_MARKED = 20;

/**
 * How much of a text is marked, from its beginning (UTF-16 code units). The texts of a message on the platform together
 * are seldom longer. An export may hold messages that are many times as long, and to mark a page of them to their ends
 * would take longer than a call may take.
 */
const MOST_MARKED = 10_000;

/**
 * Elasticsearch escapes the text that it quotes (encoder html), so the only markup in it is the mark. It quotes whole
 * texts: its own passages begin behind every `?` and `!`, also within an address.
 */
const MARKS: Omit<estypes.SearchHighlight, 'fields'> = {
  encoder: 'html',
  pre_tags: ['<mark>'],
  post_tags: ['</mark>'],
  number_of_fragments: 0,
  max_analyzed_offset: MOST_MARKED,
};

function buildHighlight(
  parsed: ParsedQuery,
  { minScore, limit }: SearchParams,
): estypes.SearchHighlight {
  const begun = minScore < WEAK_BELOW && limit <= BEGUN_MARKED;
  const fields = { ...fieldOf(parsed, 'title', begun), ...fieldOf(parsed, 'content', begun) };
  return { ...MARKS, fields };
}

function fieldOf(parsed: ParsedQuery, name: TextField, begun: boolean) {
  const highlight_query = buildHighlightQuery(parsed, name, begun);
  return { [name]: { highlight_query } };
}

/**
 * Parts of every request. Results from only a part of the index are refused. The same query is always answered by the
 * same copy of a shard: copies count deleted documents differently, so the pages of a query would not fit together.
 */
function wholeAnswer({ text }: ParsedQuery) {
  const preference = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { allow_partial_search_results: false, preference };
}
