import { anyOf, asWritten, matchTerm, nearby, phraseIn, type Query } from './matchTerms.js';
import type { ParsedQuery, SearchTerm } from './parseQuery.js';

/** A way to match, and the scores it gives: `floor` for the least relevance, up to (never reaching) `ceiling`. */
interface Tier {
  when: Query;
  floor: number;
  ceiling: number;
}

/**
 * Relevance s (BM25 over all terms) squashed to a tier: floor + (ceiling - floor) * s / (s + k), rounded down to four
 * decimals, so that equal scores are equal and none reaches the tier above. k grows with the number of terms, as s does.
 */
const SQUASH =
  'Math.floor(10000 * params.floor + 10000 * (params.ceiling - params.floor) * _score / (_score + params.k) + 1e-6) / 10000.0';

const ANY: Query = { match_all: {} };

/** The relevance of a single term that takes half of its tier. */
const HALF_WAY = 4;

/** Gives each document that `query` finds the score of the first tier that it meets, best tier first. */
export function scoreByTier(query: Query, tiers: readonly Tier[], terms: number): Query {
  const functions = tiers.map(({ when, floor, ceiling }) => ({
    filter: when,
    script_score: {
      script: { source: SQUASH, params: { floor, ceiling, k: HALF_WAY * terms } },
    },
  }));
  return { function_score: { query, functions, score_mode: 'first', boost_mode: 'replace' } };
}

/** The best tiers of all, 0.84 to 1: threads by their titles. */
export function titleTiers(parsed: ParsedQuery): Tier[] {
  const { terms, text } = parsed;
  return [
    { when: threadsBy(wholeTitle(parsed)), floor: 1, ceiling: 1 },
    ...when(parsed.words > 1, { when: threadsBy(phraseIn('title', text)), floor: 0.9, ceiling: 1 }),
    { when: threadsBy(all(terms, asWritten, ['title'])), floor: 0.84, ceiling: 0.9 },
  ];
}

/** The tiers of a match as written or inflected: 0.5 to 1, as docs/search.md lists them. */
export function strongTiers(parsed: ParsedQuery): Tier[] {
  const { terms, text } = parsed;
  const severalWords = parsed.words > 1;
  return [
    ...titleTiers(parsed),
    ...when(severalWords, { when: inOneMessage(phraseIn, text), floor: 0.8, ceiling: 0.84 }),
    ...when(terms.length > 1, { when: inOneMessage(nearby, terms), floor: 0.76, ceiling: 0.8 }),
    { when: threadsBy(all(terms, matchTerm, ['title'])), floor: 0.73, ceiling: 0.76 },
    ...when(terms.length > 1, {
      when: inOneMessage(nearby, terms, '.stem'),
      floor: 0.7,
      ceiling: 0.73,
    }),
    { when: all(terms, asWritten), floor: 0.6, ceiling: 0.7 },
    { when: ANY, floor: 0.5, ceiling: 0.6 },
  ];
}

/** The tiers of a match that forgives: the last word begun (0.3 to 0.5), then typos (0.1 to 0.3). */
export function weakTiers(begun: Query): Tier[] {
  return [
    { when: begun, floor: 0.3, ceiling: 0.5 },
    { when: ANY, floor: 0.1, ceiling: 0.3 },
  ];
}

function when(condition: boolean, tier: Tier): Tier[] {
  return condition ? [tier] : [];
}

/** A title makes a thread strong, not each of its messages. */
function threadsBy(query: Query): Query {
  return { bool: { filter: [{ term: { kind: 'thread' } }, query] } };
}

/** The query as typed, or the phrase that it quotes. */
function wholeTitle({ text, terms }: ParsedQuery): Query {
  return { terms: { 'title.whole': [text, ...(terms.length === 1 ? [terms[0]!.text] : [])] } };
}

function all<Fields>(
  terms: readonly SearchTerm[],
  match: (term: SearchTerm, fields?: Fields) => Query,
  fields?: Fields,
): Query {
  return { bool: { filter: terms.map((term) => match(term, fields)) } };
}

function inOneMessage<Text>(
  match: (field: string, text: Text) => Query,
  text: Text,
  form = '',
): Query {
  return anyOf([match(`conversation${form}`, text), match(`content${form}`, text)]);
}
