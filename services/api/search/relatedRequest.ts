import type { SearchParams } from '../../../shared/contract/search.js';
import { inMessage, ofKind, within, WEAK_BELOW } from './buildQuery.js';
import { allOf, anyOf, matchMistyped, phraseIn, type Query } from './matchTerms.js';
import type { SearchTerm } from './parseQuery.js';

/** A term of a question, and how much it tells: more, the fewer documents hold it. */
export interface Telling {
  term: SearchTerm;
  weight: number;
  /** Spellings that count as the term as well: joined with the word beside it. */
  joined: readonly string[];
}

/** What must be met of the weight of all terms. */
const MOST = 0.5;
/** What Elasticsearch gives a document that holds every term, before relevance is added. */
const WHOLE = 10;
/** Of that, how much the relevance may add, about. */
const RELEVANCE = 3;
/** BM25 gives a term at most so many times its weight. */
const MOST_BM25 = 2.2;

/** A match that holds all terms scores about 0.33 by them alone. */
const HALF_WAY = 5;

/** The score of a related match, above 0 and below 0.5, from what Elasticsearch gives it. */
export function relatedScore(given: number): number {
  return (WEAK_BELOW * given) / (given + HALF_WAY);
}

/**
 * Threads and messages that hold most of the terms in one stretch or one message, by their weight; of each thread the best
 * alone. Threads in `shown` are left out.
 */
export function buildRelatedQuery(
  telling: readonly Telling[],
  params: SearchParams,
  shown: readonly string[],
): Query {
  const inStretches = mostOf(telling, ({ term, joined }) =>
    anyOf([
      matchMistyped('stretches.text', term),
      ...joined.map((text) => phraseIn('stretches.text', text)),
    ]),
  );
  const threads = { nested: { path: 'stretches', score_mode: 'max', query: inStretches } } as const;
  const inMessages = mostOf(telling, ({ term, joined }) =>
    anyOf([
      inMessage(matchMistyped, term),
      ...joined.flatMap((text) => [phraseIn('content', text), phraseIn('title', text)]),
    ]),
  );
  const inContent = anyOf(telling.map(({ term }) => matchMistyped('content', term)));
  const messages = { bool: { must: [inMessages], filter: [inContent] } };
  const found = within(params, ofKind(params.type, threads, messages));
  return shown.length === 0
    ? found
    : { bool: { must: [found], must_not: [{ terms: { threadId: [...shown] } }] } };
}

/** What holds terms of more than half of the weight, scored by that weight and a little by relevance. */
function mostOf(telling: readonly Telling[], match: (one: Telling) => Query): Query {
  const whole = telling.reduce((sum, { weight }) => sum + weight, 0);
  const matches = telling.map((one) => ({
    filter: match(one),
    weight: (WHOLE * one.weight) / whole,
  }));
  const covered: Query = {
    function_score: {
      query: anyOf(needed(telling, whole).map((one) => allOf([match(one)]))),
      functions: matches,
      score_mode: 'sum',
      boost_mode: 'replace',
      min_score: WHOLE * MOST,
    },
  };
  const boost = RELEVANCE / (MOST_BM25 * whole);
  return {
    bool: {
      must: [covered],
      should: telling.map((one) => ({ bool: { must: [match(one)], boost } })),
    },
  };
}

/** The most telling terms, one of which every match holds: all others together are too light. */
function needed(telling: readonly Telling[], whole: number): Telling[] {
  const rising = telling.toSorted((one, other) => one.weight - other.weight);
  let lighter = 0;
  const first = rising.findIndex(({ weight }) => (lighter += weight) >= whole * MOST - 1e-9);
  return rising.slice(Math.max(0, first));
}
