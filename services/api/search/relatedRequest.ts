import type { SearchParams } from '../../../shared/contract/search.js';
import { ofKind, WEAK_BELOW } from './buildQuery.js';
import { within } from './filters.js';
import { anyOf, matchMistyped, phraseIn } from './matchTerms.js';
import type { Query, TextField } from './matchTerms.js';
import type { SearchTerm } from './parseQuery.js';

/** A term of a question, and how much it tells: more, the fewer documents hold it. */
export interface Telling {
  term: SearchTerm;
  weight: number;
  /** Spellings that count as the term as well: joined with the word beside it. */
  joined: readonly string[];
}

/** The telling terms of a question. Every match holds at least one of those in `needed`. */
export interface SoughtWords {
  telling: readonly Telling[];
  needed: readonly Telling[];
}

/** The lightest terms, together less than this part of the weight of all, are not enough for a match. */
const TOO_LIGHT = 0.2;
/** About what Elasticsearch gives a short text that holds all terms, each often. */
const WHOLE = 10;
/** A match that Elasticsearch gives so much scores half of what is possible. */
const HALF_WAY = 5;

/** The score of a related match, above 0 and below 0.5, from what Elasticsearch gives it. */
export function relatedScore(given: number): number {
  return (WEAK_BELOW * given) / (given + HALF_WAY);
}

/**
 * Threads and messages that hold telling terms in one stretch or one message, ranked by the BM25 relevance of all of
 * these together. What a title holds counts once more for its thread. Threads in `shown` are left out.
 */
export function buildRelatedQuery(
  words: SoughtWords,
  params: SearchParams,
  shown: readonly string[],
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
  return shown.length === 0
    ? found
    : { bool: { must: [found], must_not: [{ terms: { threadId: [...shown] } }] } };
}

/** Texts that hold a needed term, scored by all terms that they hold. */
function holdingAny({ telling, needed }: SoughtWords, field: TextField): Query {
  const light = telling.filter((one) => !needed.includes(one));
  const must = [{ bool: { should: inField(needed, field, telling) } }];
  return { bool: { must, should: inField(light, field, telling) } };
}

/** The relevance of some terms in any spelling, as parts of all terms' together. */
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

/** The most telling terms: all others together are too light to be a match. */
export function heaviest(telling: readonly Telling[]): Telling[] {
  const rising = telling.toSorted((one, other) => one.weight - other.weight);
  const enough = weightOf(telling) * TOO_LIGHT;
  let lighter = 0;
  return rising.filter(({ weight }) => (lighter += weight) >= enough);
}

function weightOf(telling: readonly Telling[]): number {
  return telling.reduce((sum, { weight }) => sum + weight, 0);
}
