import { createHash } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import type { SearchParams } from '../../../shared/contract/search.js';
import {
  buildCountQuery,
  buildHighlightQuery,
  buildQuery,
  buildTitleQuery,
  WEAK_BELOW,
} from './buildQuery.js';
import { PASSAGE } from './clipPassage.js';
import type { Query, TextField } from './matchTerms.js';
import type { ParsedQuery } from './parseQuery.js';

type Request = Omit<estypes.SearchRequest, 'index'>;

const KINDS = { kinds: { terms: { field: 'kind' } } };

/** The same question in steps: how many match, a page of the matches that come first, a page of all. */
export interface Steps {
  counts: Request;
  /** Counts exactly what it finds: a page within that is a page of all. */
  titles: Request;
  all: Request;
}

/** Whether a question may be asked in steps: about threads, and for the usual strength of matches. */
export function mayStep({ type, minScore, limit }: SearchParams): boolean {
  return type !== 'messages' && minScore === WEAK_BELOW && limit > 0;
}

/** The steps of a question about matches of 0.5 and more. */
export function buildSteps(parsed: ParsedQuery, params: SearchParams): Steps {
  const preference = preferenceOf(parsed);
  const counts = { ...COUNTS_ONLY, query: buildCountQuery(parsed, params), preference };
  return {
    counts,
    titles: {
      ...pageRequest(buildTitleQuery(parsed, params), parsed, params),
      track_total_hits: true,
    },
    all: pageRequest(buildQuery(parsed, params), parsed, params),
  };
}

const COUNTS_ONLY: Request = {
  size: 0,
  track_total_hits: false,
  aggs: KINDS,
  allow_partial_search_results: false,
};

/** The whole question as Elasticsearch takes it. */
export function buildRequest(parsed: ParsedQuery, params: SearchParams): Request {
  return { ...pageRequest(buildQuery(parsed, params), parsed, params), aggs: KINDS };
}

/** A page of the results of a query, in order. */
function pageRequest(query: Query, parsed: ParsedQuery, params: SearchParams): Request {
  return {
    query,
    // A limit costs a third of the query's time, and 0.5 is where the matches start anyway.
    ...(params.minScore === WEAK_BELOW ? {} : { min_score: params.minScore }),
    from: params.offset,
    size: params.limit,
    // The last one tells a thread from the message that began it, which may share its id.
    sort: ['_score', { createdAt: 'desc' }, { idKey: 'desc' }, { kind: 'desc' }],
    track_total_hits: false,
    highlight: buildHighlight(parsed, params),
    allow_partial_search_results: false,
    preference: preferenceOf(parsed),
  };
}

/**
 * The most results of a page on which the beginnings of words are marked: for these Elasticsearch analyses the text again,
 * which is too much for a large page, and for whole conversations.
 */
const BEGUN_MARKED = 20;

/** The server escapes what it quotes (encoder html), so that the only markup left is the mark. */
function buildHighlight(
  parsed: ParsedQuery,
  { minScore, limit }: SearchParams,
): estypes.SearchHighlight {
  const begun = minScore < WEAK_BELOW && limit <= BEGUN_MARKED;
  const field = (name: TextField, passages: number, marksBegun = false) => ({
    [name]: {
      ...{ matched_fields: [name, `${name}.stem`], number_of_fragments: passages },
      highlight_query: buildHighlightQuery(parsed, [name], marksBegun),
    },
  });
  return {
    encoder: 'html',
    pre_tags: ['<mark>'],
    post_tags: ['</mark>'],
    fragment_size: PASSAGE,
    order: 'score',
    fields: {
      ...field('title', 0, begun),
      ...field('conversation', 1),
      ...field('content', 1, begun),
    },
  };
}

/** Copies of a shard count deleted documents differently: one query, one copy, so that its pages agree. */
function preferenceOf({ text }: ParsedQuery): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
