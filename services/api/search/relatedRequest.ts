import type { SearchParams } from '../../../shared/contract/search.js';
import { ofKind, WEAK_BELOW } from './buildQuery.js';
import { within } from './filters.js';
import { anyOf, matchMistyped, phraseIn } from './matchTerms.js';
import type { Query, TextField } from './matchTerms.js';
import type { SearchTerm } from './parseQuery.js';

/** A term of a question, and its weight: the fewer documents hold it, the more telling it is. */
export interface Telling {
  term: SearchTerm;
  weight: number;
  /** Other spellings that count as the term: joined with a neighbouring word. */
  joined: readonly string[];
}

/** The telling terms of a question. Every match holds at least one of those in `needed`. */
export interface SoughtWords {
  telling: readonly Telling[];
  needed: readonly Telling[];
}

/** The lightest terms that together have less than this part of the total weight are not enough for a match. */
const TOO_LIGHT = 0.2;
/** About the score that Elasticsearch gives to a short text that often holds all terms. */
const WHOLE = 10;
/** A match with this score from Elasticsearch gets half of the highest possible score. */
const HALF_WAY = 5;

/** The score of a related match, above 0 and below 0.5, from the score that Elasticsearch gives. */
export function relatedScore(given: number): number {
  return (WEAK_BELOW * given) / (given + HALF_WAY);
}

/**
 * Finds threads and messages that hold telling terms in one stretch or one message. They are ranked by the BM25
 * relevance of all telling terms together. Terms in a title count once more for its thread. What a query in `excluded`
 * finds is left out.
 */
export function buildRelatedQuery(
  words: SoughtWords,
  params: SearchParams,
  excluded: Query[],
): Query {
  const { telling } = words;
  const query = holdingAny(words, 'stretches.text');
  const threads: Query = {
    bool: {
      must: [{ nested: { path: 'stretches', score_mode: 'max', query } }],
      should: inField(telling, 'heading', telling),
    },
  };
  const found = within(params, ofKind(params.type, threads, holdingAny(words, 'content')));
  return excluded.length === 0 ? found : { bool: { must: [found], must_not: excluded } };
}

/** Finds texts that hold a needed term, and scores them by all telling terms that they hold. */
function holdingAny({ telling, needed }: SoughtWords, field: TextField): Query {
  const light = telling.filter((one) => !needed.includes(one));
  const must = [{ bool: { should: inField(needed, field, telling) } }];
  return { bool: { must, should: inField(light, field, telling) } };
}

/** Some terms in any spelling. Their weights are parts of the weight of all terms together. */
function inField(some: readonly Telling[], field: TextField, all: readonly Telling[]): Query[] {
  return some.map((one) => holds(one, field, WHOLE / weightOf(all)));
}

/** A term in any spelling. */
function holds({ term, joined }: Telling, field: TextField, boost: number): Query {
  return anyOf([
    matchMistyped(field, term, boost),
    ...joined.map((text) => phraseIn(field, text, boost)),
  ]);
}

/** The most telling terms. All others together are too light for a match. */
export function heaviest(telling: readonly Telling[]): Telling[] {
  const rising = telling.toSorted((one, other) => one.weight - other.weight);
  const enough = weightOf(telling) * TOO_LIGHT;
  let lighter = 0;
  return rising.filter(({ weight }) => (lighter += weight) >= enough);
}

function weightOf(telling: readonly Telling[]): number {
  return telling.reduce((sum, { weight }) => sum + weight, 0);
}
