import type { SearchParams, SearchType } from '../../../shared/contract/search.js';
import { lift, placesAbove, STEP, type BandName } from './bands.js';
import { countPieces } from './countPieces.js';
import { within } from './filters.js';
import { tellingOrAll } from './functionWords.js';
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

/** Matches with a lower score are only looked for where the reader asks for them. */
export const WEAK_BELOW = 0.5;

/**
 * How many times as much a term counts in a title. The relevance of each match is divided by the number of words in the
 * terms, so that it does not grow with the length of a query.
 */
const TITLE_WEIGHT = 2;

/** The weakest band that a question asks for. Elasticsearch's scores count from it. */
export function lowestBand({ minScore }: Pick<SearchParams, 'minScore'>): BandName {
  return minScore < WEAK_BELOW ? 'mistyped' : 'stretch';
}

/**
 * Finds everything that the terms match, within the filters. Its scores are for `scoreOf`. Weak matches are included
 * only where minScore asks for them.
 */
export function buildQuery(parsed: ParsedQuery, params: SearchParams): Query {
  const { type } = params;
  const strong = ofKind(type, findThreads(parsed), findMessages(parsed));
  if (params.minScore >= WEAK_BELOW) return within(params, strong);
  const { terms } = parsed;
  const weight = 1 / countPieces(terms);
  const scattered = bandOf(
    'scattered',
    all(terms.map((term) => inStretch(inOne(matchTerm, term, weight)))),
  );
  const weak = [
    ...(type === 'messages' ? [] : [scattered]),
    // Each of these ways finds all that the way before it finds. So it is left out where it finds nothing more.
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
 * Finds the strongest matches of `buildQuery`, with the same scores: threads with all terms in their title, and
 * messages with all terms near each other.
 */
export function buildStrongest(parsed: ParsedQuery, params: SearchParams): Query {
  // Scores come from the very same clauses. Sums in another order would be rounded differently.
  const threads = { bool: { must: [findThreads(parsed)], filter: [placeTitle(parsed)] } };
  const messages = { bool: { must: [findMessages(parsed)], filter: [placeNearby(parsed)] } };
  return within(params, ofKind(params.type, threads, messages));
}

/** Finds everything that the terms match, without scores, to count it. */
export function buildCountQuery({ terms }: ParsedQuery, params: SearchParams): Query {
  return within(params, findAll(params.type, terms, matchTerm, matchTerm));
}

/** Finds everything that is a result on any page of a question. Related matches leave it out, whatever its score. */
export function buildExclusion(parsed: ParsedQuery, params: SearchParams): Query {
  const build = params.minScore < WEAK_BELOW ? buildQuery : buildCountQuery;
  return build(parsed, params);
}

/** Finds what is marked in a field: the terms, the words that they may be typos of, and the beginning of a word. */
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

/**
 * Finds the messages of some threads that hold most of the telling terms. Each thread gets a passage from one of them.
 */
export function buildPassageQuery({ terms }: ParsedQuery, threadIds: readonly string[]): Query {
  return {
    bool: {
      filter: [{ term: { kind: 'message' } }, { terms: { threadId: [...threadIds] } }],
      should: tellingOrAll(terms).map((term) => matchMistyped('content', term)),
      minimum_should_match: 1,
    },
  };
}

/**
 * Finds threads with all terms in one stretch of their conversation. A stretch begins with the title. Terms in the
 * title add to the relevance, and a title with all terms lifts the thread to a higher band.
 */
function findThreads(parsed: ParsedQuery): Query {
  const { terms } = parsed;
  const weight = 1 / countPieces(terms);
  const stretch = inStretch(all(terms.map((term) => inOne(matchTerm, term, weight))));
  return { bool: { must: [stretch], should: [...inHeading(terms), placeTitle(parsed)] } };
}

/** Each term in a thread's title, to add to the relevance. */
function inHeading(terms: readonly SearchTerm[]): Query[] {
  const weight = TITLE_WEIGHT / countPieces(terms);
  return terms.map((term) => matchTerm('heading', term, weight));
}

/** Finds titles that hold all terms, and lifts them by how they hold them. */
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
 * Finds messages with all terms in their content or title, and at least one in their content. It lifts messages that
 * hold a telling term in their content, and further those whose terms stand as written, or near each other.
 */
function findMessages(parsed: ParsedQuery): Query {
  const { terms } = parsed;
  const weight = 1 / countPieces(terms);
  const each = terms.map((term) => inMessage(matchTerm, term, weight));
  const inContent = (some: readonly SearchTerm[]) =>
    anyOf(some.map((term) => matchTerm('content', term)));
  const telling = tellingOrAll(terms);
  const written = lift(allOf(terms.map((term) => inMessage(asWritten, term))), STEP.asWritten);
  const lifted = {
    bool: {
      must: [lift(inContent(telling), placesAbove('message', 'stretch'))],
      should: [written, placeNearby(parsed)],
    },
  };
  return telling.length === terms.length
    ? all([lifted, ...each])
    : { bool: { must: each, filter: [inContent(terms)], should: [lifted] } };
}

/**
 * Finds contents whose terms stand near each other, and lifts them. Only these are searched for the query as a phrase,
 * because the terms of a phrase stand near each other.
 */
function placeNearby({ terms, text, words }: ParsedQuery): Query {
  const phrase = phraseIn('content', text);
  if (terms.length === 1) {
    return words > 1 ? lift(phrase, STEP.nearby + STEP.phrase) : { match_none: {} };
  }
  const near = lift(nearby('content', terms, Math.max(words, terms.length)), STEP.nearby);
  return { bool: { must: [near], should: words > 1 ? [lift(phrase, STEP.phrase)] : [] } };
}

/** Finds all terms in a stretch of a thread; or in a message's content or title, with at least one in its content. */
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

/** Makes a query for a term in one document. */
type Finder = (match: Match, term: SearchTerm, weight?: number) => Query;

const inOne: Finder = (match, term, weight) => match('stretches.text', term, weight);

/** A term in a message's content or title. */
const inMessage: Finder = (match, term, weight = 1) =>
  anyOf([match('content', term, weight), match('title', term, TITLE_WEIGHT * weight)]);

/** Threads of which a stretch matches. The best stretch counts. */
function inStretch(query: Query): Query {
  return { nested: { path: 'stretches', score_mode: 'max', query } };
}

/** Lifts what the query finds from the weakest of all bands to another band. */
function bandOf(band: BandName, query: Query): Query {
  return all([query, lift({ match_all: {} }, placesAbove(band, 'mistyped'))]);
}

function all(must: Query[]): Query {
  return must.length === 1 ? must[0]! : { bool: { must } };
}

/** The query for the kind of result that is wanted, or for both. */
export function ofKind(type: SearchType, threads: Query, messages: Query): Query {
  if (type === 'threads') return threads;
  return type === 'messages' ? messages : { bool: { should: [threads, messages] } };
}
