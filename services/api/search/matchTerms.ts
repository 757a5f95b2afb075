import type { estypes } from '@elastic/elasticsearch';
import { countPieces } from './countPieces.js';
import { wordTerm, type SearchTerm } from './parseQuery.js';

/** A query clause (the client's own type admits undefined). */
export type Query = NonNullable<estypes.QueryDslQueryContainer>;

/**
 * Text fields of search documents. `heading` is a thread's title. `stretches.text` is its conversation, with title and
 * tags. `title` is the title of a message's thread, and `content` is what the message says.
 */
export type TextField = 'heading' | 'stretches.text' | 'title' | 'content';

/** A way to find a term in a field. Its relevance is multiplied by `boost`. */
export type Match = (field: TextField, term: SearchTerm, boost?: number) => Query;

/** How much a word counts that the term may be a typo of, compared to the term itself. */
export const TYPO_WEIGHT = 0.5;
/** How much a longer word counts that begins with the term, where the archive does not hold the term itself. */
export const BEGUN_WEIGHT = 0.5;
/** How many letters a word may have that is taken as the beginning of a longer word. */
const BEGUN = { fewest: 2, most: 20 } as const;
/** The most words of the index that the end of a term may begin. They are taken in alphabetical order. */
const MOST_BEGUN = 256;

/** Finds the term as written, ignoring case and accents, or a synonym. */
export const asWritten: Match = (field, term, boost = 1) =>
  anyOf(textsOf(term).map((text) => phraseIn(field, text, boost * shareOf(text, term))));

/** Finds the term as written or inflected. A phrase is only found as written. */
export const matchTerm: Match = (field, term, boost = 1) => {
  if (term.phrase) return asWritten(field, term, boost);
  return anyOf(
    textsOf(term).flatMap((query): Query[] => {
      const share = boost * shareOf(query, term);
      const inflected = { query, analyzer: 'inflected', boost: share };
      const forms = formsOfShort(query)?.map((form) => phraseIn(field, form, share));
      return forms ?? [{ match_phrase: { [field]: inflected } }];
    }),
  );
};

/**
 * The factor of the relevance of each word in `text`, which is the term or a synonym of it. Elasticsearch adds up the
 * relevance of all words in a text. Without this factor, a synonym of several words would count for more than the term.
 */
function shareOf(text: string, term: SearchTerm): number {
  return countPieces([term]) / countPieces([{ text }]);
}

/** Finds the term as matchTerm does, or as the beginning of a word. */
export const matchBegun: Match = (field, term, boost) =>
  mayBegin(term)
    ? anyOf([matchTerm(field, term, boost), begins(field, term)])
    : matchTerm(field, term, boost);

/**
 * Finds the term as the beginning of a word. Where the index splits the term into several words, these must stand side
 * by side, and the last of them begins a word: `T-Be` begins `T-Beam`. All of these matches count the same.
 * Elasticsearch would add up the weights of all words that begin so, and a band has no room for that.
 */
export function begins(field: TextField, { text }: SearchTerm): Query {
  if (countPieces([{ text }]) === 1) {
    return { match_bool_prefix: { [field]: { query: text, operator: 'and' } } };
  }
  const filter = { match_phrase_prefix: { [field]: { query: text, max_expansions: MOST_BEGUN } } };
  return { constant_score: { filter } };
}

/** Finds another spelling of a term. One word is found in all its forms, two words only as they are written. */
export function holdsSpelling(field: TextField, text: string, boost?: number): Query {
  return matchTerm(field, { text, phrase: text.includes(' ') }, boost);
}

/** Finds the term as matchTerm does, or in another spelling, or what it may be the beginning of. */
export const matchMistyped: Match = (field, term, boost = 1) =>
  anyOf([
    matchTerm(field, term, boost),
    ...(term.alternatives ?? []).map((other) => holdsSpelling(field, other, TYPO_WEIGHT * boost)),
    ...beginning(field, term, boost),
  ]);

/** Finds the words that begin so, where they count as the term. */
function beginning(field: TextField, term: SearchTerm, boost: number): Query[] {
  if (term.begun === undefined) return [];
  const { text, weight } = term.begun;
  const filter = begins(field, wordTerm(text));
  return [{ constant_score: { filter, boost: weight * boost } }];
}

/** Finds the term in any of the ways above. */
export const matchLoosely: Match = (field, term, boost) =>
  anyOf([matchMistyped(field, term, boost), matchBegun(field, term, boost)]);

/**
 * Finds all terms within one text, as written or inflected, in any order, with at most `gaps` other words in between.
 */
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

/** The term's own text, and the texts that count as it. */
export function textsOf({ text, synonyms = [] }: SearchTerm): string[] {
  return [text, ...synonyms];
}

/**
 * Words whose stem has two letters. The stemmer takes `use` for a form of `us`, `one` for a form of `on`, `ups` of
 * `up`, and `ide` of `id`. So the true forms of these words are listed. `us`, `on` and similar words have only
 * themselves. A word that only looks like their plural is another word: `ups`, `ios`. `it's` is the same as `its`.
 */
const SHORT_STEM =
  /^(?:(?<alone>(?:am|an|as|at|if|in|io|is|it|of|on|or|up|us)(?:['’]?s)?|i['’]d)|(?<noun>[aeiou][b-df-hj-np-tv-z])(?:['’]?s)?|(?<verb>[aeiou][b-df-hj-np-tv-z])(?:es?|eds?|ing))$/i;

const ENDINGS = ['e', 'es', 'ed', 'eds', 'ing'];

/** All forms of a word with such a short stem; undefined for other words. */
function formsOfShort(text: string): string[] | undefined {
  const { alone, noun, verb } = SHORT_STEM.exec(text)?.groups ?? {};
  if (alone !== undefined) return [alone];
  if (noun !== undefined) return [noun, `${noun}s`];
  return verb === undefined ? undefined : ENDINGS.map((ending) => verb + ending);
}

/** Finds the words of a text side by side, in this order, as written. */
export function phraseIn(field: TextField, query: string, boost = 1): Query {
  return { match_phrase: { [field]: { query, boost } } };
}

/** Finds what any of the queries finds. The best one counts. */
export function anyOf(queries: Query[]): Query {
  return queries.length === 1 ? queries[0]! : { dis_max: { queries } };
}

/** Finds what all of the queries find, without relevance. */
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
