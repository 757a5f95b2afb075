import type { estypes } from '@elastic/elasticsearch';
import { countPieces } from './countPieces.js';
import type { SearchTerm } from './parseQuery.js';

/** A query clause (the client's own type admits undefined). */
export type Query = NonNullable<estypes.QueryDslQueryContainer>;

/**
 * Fields that hold text: `heading` is a thread's title, `stretches.text` its conversation (with title and tags),
 * `title` the title of a message's thread, `content` what the message says.
 */
export type TextField = 'heading' | 'stretches.text' | 'title' | 'content';

/** A way to find a term in a field. Its relevance is multiplied by `boost`. */
export type Match = (field: TextField, term: SearchTerm, boost?: number) => Query;

/** How much of a term a word is worth that it may be a typo of. */
const TYPO_WEIGHT = 0.5;
/** Letters of a word that may be the beginning of a longer one. */
const BEGUN = { fewest: 2, most: 20 } as const;
/** How many words the end of a term of several words may begin: the first ones of the index by the alphabet. */
const MOST_BEGUN = 256;

/** The term as written (letter case and accents aside), or a synonym. */
export const asWritten: Match = (field, term, boost) =>
  anyOf(textsOf(term).map((text) => phraseIn(field, text, boost)));

/** The term as written or inflected; a phrase only as written. */
export const matchTerm: Match = (field, term, boost = 1) => {
  if (term.phrase) return asWritten(field, term, boost);
  return anyOf(
    textsOf(term).flatMap((text): Query[] => {
      const forms = formsOfShort(text)?.map((form) => phraseIn(field, form, boost));
      return (
        forms ?? [{ match_phrase: { [field]: { query: text, analyzer: 'inflected', boost } } }]
      );
    }),
  );
};

/** The term as matchTerm finds it, or as the beginning of a word. */
export const matchBegun: Match = (field, term, boost) =>
  mayBegin(term)
    ? anyOf([matchTerm(field, term, boost), begins(field, term)])
    : matchTerm(field, term, boost);

/**
 * The term as the beginning of a word. Where the index takes the term for several words, these must stand side by side,
 * and the last of them begins a word: `T-Be` begins `T-Beam`. Then all matches count the same: Elasticsearch would add up
 * the weights of all words that begin so, and a band has no room for that.
 */
function begins(field: TextField, { text }: SearchTerm): Query {
  if (countPieces([{ text }]) === 1) {
    return { match_bool_prefix: { [field]: { query: text, operator: 'and' } } };
  }
  const filter = { match_phrase_prefix: { [field]: { query: text, max_expansions: MOST_BEGUN } } };
  return { constant_score: { filter } };
}

/** The term as matchTerm finds it, or one of the words that it may be a typo of. */
export const matchMistyped: Match = (field, term, boost = 1) =>
  anyOf([
    matchTerm(field, term, boost),
    ...(term.alternatives ?? []).map((other) => phraseIn(field, other, TYPO_WEIGHT * boost)),
  ]);

/** The term in any of the ways above. */
export const matchLoosely: Match = (field, term, boost) =>
  anyOf([matchMistyped(field, term, boost), matchBegun(field, term, boost)]);

/** All terms within one text, as written or inflected, in any order, with at most so many other words between. */
export function nearby(field: TextField, terms: readonly SearchTerm[], gaps: number): Query {
  const intervals = terms.map((term) => {
    const texts = textsOf(term).flatMap((text) => {
      const asIs = (query: string) => ({ match: { query, ordered: true, max_gaps: 0 } });
      if (term.phrase) return [asIs(text)];
      const inflected = { match: { ...asIs(text).match, analyzer: 'inflected' } };
      return formsOfShort(text)?.map(asIs) ?? [inflected];
    });
    return texts.length === 1 ? texts[0]! : { any_of: { intervals: texts } };
  });
  return { intervals: { [field]: { all_of: { intervals, ordered: false, max_gaps: gaps } } } };
}

/** A term's own text, and those that count as it. */
export function textsOf({ text, synonyms = [] }: SearchTerm): string[] {
  return [text, ...synonyms];
}

/**
 * Words whose stem has two letters. The stemmer takes `use` for a form of `us`, `one` of `on`, `ups` of `up` and `ide` of
 * `id`. So their forms are named. `us`, `on` and the like have none but themselves. What looks like their plural is a
 * word of its own: `ups`, `ios`. `it's` is the word `its`.
 */
const SHORT_STEM =
  /^[([{<'‘’"`*_]*(?:(?<alone>(?:am|an|as|at|if|in|io|is|it|of|on|or|up|us)(?:['’]?s)?|i['’]d)|(?<noun>[aeiou][b-df-hj-np-tv-z])(?:['’]?s)?|(?<verb>[aeiou][b-df-hj-np-tv-z])(?:es?|eds?|ing))[)\]}>'’"`*_.,;:!?…]*$/i;

const ENDINGS = ['e', 'es', 'ed', 'eds', 'ing'];

/** All forms of a word that has so short a stem. */
function formsOfShort(text: string): string[] | undefined {
  const { alone, noun, verb } = SHORT_STEM.exec(text)?.groups ?? {};
  if (alone !== undefined) return [alone];
  if (noun !== undefined) return [noun, `${noun}s`];
  return verb === undefined ? undefined : ENDINGS.map((ending) => verb + ending);
}

/** The words of a text side by side in this order, as written. */
export function phraseIn(field: TextField, query: string, boost = 1): Query {
  return { match_phrase: { [field]: { query, boost } } };
}

/** Any of the queries; the best one counts. */
export function anyOf(queries: Query[]): Query {
  return queries.length === 1 ? queries[0]! : { dis_max: { queries } };
}

/** All of the queries, without relevance. */
export function allOf(filter: Query[]): Query {
  return filter.length === 1 ? filter[0]! : { bool: { filter } };
}

/**
 * Whether a term may be the beginning of a longer word. A single letter begins too many words, and a long word is
 * whole.
 */
export function mayBegin({ text, phrase }: SearchTerm): boolean {
  return !phrase && text.length >= BEGUN.fewest && text.length <= BEGUN.most;
}
