import type { SearchParams, SearchType } from '../../../shared/contract/search.js';
import { lift, placesAbove, STEP, type BandName } from './bands.js';
import { countPieces } from './countPieces.js';
import { within } from './filters.js';
import {
  allOf,
  anyOf,
  asWritten,
  matchBegun,
  matchLoosely,
  matchMistyped,
  matchTerm,
  mayBegin,
  nearby,
  phraseIn,
  type Match,
  type Query,
  type TextField,
} from './matchTerms.js';
import type { ParsedQuery, SearchTerm } from './parseQuery.js';

/** Matches weaker than this are looked for only on demand. */
export const WEAK_BELOW = 0.5;

/**
 * How much more a term is worth in a title. The relevance of every match is divided by how many words the terms have, so
 * that it does not rise with the length of a query.
 */
const TITLE_WEIGHT = 2;

/** The weakest band that a question asks for: what Elasticsearch gives begins there. */
export function lowestBand({ minScore }: Pick<SearchParams, 'minScore'>): BandName {
  return minScore < WEAK_BELOW ? 'mistyped' : 'stretch';
}

/**
 * Everything that the terms match, within the filters, scored as `scoreOf` reads it. Weak matches only when minScore
 * asks for them.
 */
export function buildQuery(parsed: ParsedQuery, params: SearchParams): Query {
  const { type } = params;
  const strong = ofKind(type, findThreads(parsed), findMessages(parsed));
  if (params.minScore >= WEAK_BELOW) return within(params, strong);
  const { terms } = parsed;
  const scattered = bandOf(
    'scattered',
    all(terms.map((term) => inStretch(inOne(matchTerm, term)))),
  );
  const weak = [
    ...(type === 'messages' ? [] : [scattered]),
    // Each way finds what the one before finds as well, so it is left out where it finds no more.
    ...(terms.slice(-1).some(mayBegin)
      ? [bandOf('begun', findAll(type, terms, matchTerm, matchBegun))]
      : []),
    ...(terms.some(({ alternatives = [] }) => alternatives.length > 0)
      ? [findAll(type, terms, matchMistyped, matchLoosely)]
      : []),
  ];
  return within(params, anyOf([bandOf('stretch', strong), ...weak]));
}

/**
 * Of the matches of `buildQuery` those that stand above all others, scored the same: threads with all terms in their
 * title, and messages that hold them near each other.
 */
export function buildStrongest(parsed: ParsedQuery, params: SearchParams): Query {
  // Scored by the very same clauses: sums in another order would be rounded otherwise.
  const threads = { bool: { must: [findThreads(parsed)], filter: [placeTitle(parsed)] } };
  const messages = { bool: { must: [findMessages(parsed)], filter: [placeNearby(parsed)] } };
  return within(params, ofKind(params.type, threads, messages));
}

/** Everything that the terms match, not scored, for counting. */
export function buildCountQuery({ terms }: ParsedQuery, params: SearchParams): Query {
  return within(params, findAll(params.type, terms, matchTerm, matchTerm));
}

/** What to mark in a field: the terms and what they may be typos of, and the beginning of a word. */
export function buildHighlightQuery(
  { terms }: Pick<ParsedQuery, 'terms'>,
  field: TextField,
  begun: boolean,
): Query {
  const last = begun ? terms.slice(-1) : [];
  return {
    bool: {
      should: [
        ...terms.map((term) => matchMistyped(field, term)),
        ...last.map((term) => matchBegun(field, term)),
      ],
    },
  };
}

/** The messages of some threads that hold most of the terms, for a passage of each thread. */
export function buildPassageQuery({ terms }: ParsedQuery, threadIds: readonly string[]): Query {
  return {
    bool: {
      filter: [{ term: { kind: 'message' } }, { terms: { threadId: [...threadIds] } }],
      should: terms.map((term) => matchMistyped('content', term)),
      minimum_should_match: 1,
    },
  };
}

/**
 * Threads by all terms in one stretch of their conversation, which holds their title. What the title holds adds to the
 * relevance, and places the thread where it holds all terms.
 */
function findThreads(parsed: ParsedQuery): Query {
  const { terms } = parsed;
  const weight = 1 / countPieces(terms);
  const stretch = inStretch(all(terms.map((term) => inOne(matchTerm, term, weight))));
  return { bool: { must: [stretch], should: [...inHeading(terms), placeTitle(parsed)] } };
}

/** Each term in a thread's title, for its relevance. */
function inHeading(terms: readonly SearchTerm[]): Query[] {
  const weight = TITLE_WEIGHT / countPieces(terms);
  return terms.map((term) => matchTerm('heading', term, weight));
}

/** Titles that hold all terms, placed by how they do. */
function placeTitle({ terms, text, words }: ParsedQuery): Query {
  const whole = [text, ...(terms.length === 1 ? [terms[0]!.text] : [])];
  const inTitle = (match: Match) => allOf(terms.map((term) => match('heading', term)));
  const bands = [
    lift({ terms: { 'heading.whole': whole } }, placesAbove('wholeTitle', 'title')),
    ...(words > 1 ? [lift(phraseIn('heading', text), placesAbove('titlePhrase', 'title'))] : []),
    lift(inTitle(asWritten), placesAbove('titleAsWritten', 'title')),
  ];
  const must = [lift(inTitle(matchTerm), placesAbove('title', 'stretch'))];
  return { bool: { must, should: [anyOf(bands)] } };
}

/**
 * Messages by all terms in their content or title, and at least one in their content, placed by whether these stand as
 * written and near each other in it.
 */
function findMessages(parsed: ParsedQuery): Query {
  const { terms } = parsed;
  const weight = 1 / countPieces(terms);
  const inContent = terms.map((term) => matchTerm('content', term));
  const written = lift(allOf(terms.map((term) => inMessage(asWritten, term))), STEP.asWritten);
  const must = [
    lift(anyOf(inContent), placesAbove('message', 'stretch')),
    ...terms.map((term) => inMessage(matchTerm, term, weight)),
  ];
  return { bool: { must, should: [written, placeNearby(parsed)] } };
}

/**
 * Contents in which the terms stand near each other. The whole query as a phrase is looked for in these alone: a phrase
 * holds its terms near each other.
 */
function placeNearby({ terms, text, words }: ParsedQuery): Query {
  const phrase = phraseIn('content', text);
  if (terms.length === 1) {
    return words > 1 ? lift(phrase, STEP.nearby + STEP.phrase) : { match_none: {} };
  }
  const near = lift(nearby('content', terms, Math.max(words, terms.length)), STEP.nearby);
  return { bool: { must: [near], should: words > 1 ? [lift(phrase, STEP.phrase)] : [] } };
}

/** All terms in a stretch of a thread; in a message's content or title, and at least one in its content. */
function findAll(
  type: SearchType,
  terms: readonly SearchTerm[],
  match: Match,
  matchLast: Match,
): Query {
  const weight = 1 / countPieces(terms);
  const matchOf = (index: number) => (index === terms.length - 1 ? matchLast : match);
  const each = (find: Finder) => terms.map((term, index) => find(matchOf(index), term, weight));
  const inContent = terms.map((term, index) => matchOf(index)('content', term));
  return ofKind(type, inStretch(all(each(inOne))), {
    bool: { must: each(inMessage), filter: [anyOf(inContent)] },
  });
}

/** Where one document may hold a term. */
type Finder = (match: Match, term: SearchTerm, weight?: number) => Query;

const inOne: Finder = (match, term, weight) => match('stretches.text', term, weight);

/** A term in a message's content or title. */
export const inMessage: Finder = (match, term, weight = 1) =>
  anyOf([match('content', term, weight), match('title', term, TITLE_WEIGHT * weight)]);

/** Threads of which a stretch matches; the best one counts. */
function inStretch(query: Query): Query {
  return { nested: { path: 'stretches', score_mode: 'max', query } };
}

/** What the query finds, lifted from the weakest band of all to another. */
function bandOf(band: BandName, query: Query): Query {
  return all([query, lift({ match_all: {} }, placesAbove(band, 'mistyped'))]);
}

function all(must: Query[]): Query {
  return must.length === 1 ? must[0]! : { bool: { must } };
}

/** The query of the kind that is wanted, or both. */
export function ofKind(type: SearchType, threads: Query, messages: Query): Query {
  if (type === 'threads') return threads;
  return type === 'messages' ? messages : { bool: { should: [threads, messages] } };
}
