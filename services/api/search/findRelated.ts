import type { SearchParams, SearchResponse } from '../../../shared/contract/search.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { searchElasticsearch, CALL_LIMITS, type SearchDeps } from './askElasticsearch.js';
import { filterBy } from './filters.js';
import { findPassages } from './findPassages.js';
import { FORGIVEN, likeWords, mayBeMistyped } from './forgiveTypos.js';
import { isForeign, tellingTerms } from './functionWords.js';
import { countEach, inVocabulary } from './lookUp.js';
import { matchTerm } from './matchTerms.js';
import { wordTerm, type ParsedQuery, type SearchTerm } from './parseQuery.js';
import { presentResults, type Hit } from './presentResults.js';
import { relatedScore, type Telling } from './relatedRequest.js';
import { buildRelated } from './searchRequest.js';

/** The first page has a result of this score or more: nothing further is looked for. */
const STRONG = 0.7;
/** A word in at most so many documents may be a typo, or be spelled otherwise elsewhere. */
const HARDLY_KNOWN = 3;
/** The most terms that are looked for: the most telling ones. What such a search costs grows with them. */
const MOST_TERMS = 8;
/** The most terms that are counted: the first ones of a longer query. */
const MOST_COUNTED = 32;
/** The fewest letters of a part of a word that is written apart elsewhere. */
const SHORTEST_PART = 3;

/** Whether the first page of what all terms match has no strong result, so that matches of its most telling terms are looked for. */
export function needsRelated(
  { terms }: Pick<ParsedQuery, 'terms'>,
  { offset, limit }: SearchParams,
  { total, best }: { total: number; best: number },
): boolean {
  // Of one term that is found there is no less.
  const hasLess = terms.length > 1 || total === 0;
  return best < STRONG && hasLess && offset === 0 && limit > 0;
}

/** Threads and messages that hold telling terms of a query, at most `limit` together; none of the threads in `shown`. */
export async function findRelated(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
  shown: readonly string[],
): Promise<SearchResponse['results']> {
  const telling = await weigh(deps, parsed, params);
  if (telling.length === 0) return { threads: [], messages: [] };
  const terms = telling.map(({ term, joined }) => ({
    ...term,
    alternatives: [...(term.alternatives ?? []), ...joined],
  }));
  const request = buildRelated(telling, { ...parsed, terms }, params, shown);
  const { hits } = await searchElasticsearch(() =>
    deps.elasticsearch.search<NonNullable<Hit['_source']>>(
      { index: searchAlias(deps.namespace), ...request },
      CALL_LIMITS,
    ),
  );
  const passages = await findPassages(deps, { ...parsed, terms }, hits.hits);
  return presentResults(hits.hits, passages, relatedScore);
}

/** The most telling terms that the filters leave in some spelling, and how much each tells. */
async function weigh(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
): Promise<Telling[]> {
  const terms = tellingTerms(parsed.terms).slice(0, MOST_COUNTED);
  const pairs = terms.slice(1).map((term, index) => joinOf(terms[index]!, term));
  const joins = pairs.filter((text) => text !== undefined).map(wordTerm);
  const sought = [...terms, ...joins].map((term) => inVocabulary(matchTerm, term));
  const [all = 0, ...counted] = await countEach(
    deps,
    [{ match_all: {} }, ...sought],
    filterBy(params),
  );
  if (all === 0) return [];
  const countOf = new Map(joins.map(({ text }, n) => [text, counted[terms.length + n] ?? 0]));
  const found = terms.map((term, n) => ({
    term,
    count: counted[n] ?? 0,
    joined: [pairs[n - 1], pairs[n]].filter(
      (text) => text !== undefined && (countOf.get(text) ?? 0) > 0,
    ) as string[],
  }));
  const doubtful = found
    .filter(({ term, count }) => count <= HARDLY_KNOWN && mayBeMistyped(term))
    .sort((one, other) => one.count - other.count)
    .slice(0, FORGIVEN.words)
    .map(({ term }) => term.text);
  const others = await otherSpellings(deps, doubtful, isForeign(parsed));
  return found
    .flatMap(({ term, count, joined }): Telling[] => {
      const alternatives = others.get(term.text) ?? [];
      if (count === 0 && joined.length === 0 && alternatives.length === 0) return [];
      const weight = Math.log(1 + all / Math.max(1, count));
      return [{ term: { ...term, alternatives }, weight, joined }];
    })
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MOST_TERMS);
}

/** Two words that stand side by side, as one. */
function joinOf(one: SearchTerm, other: SearchTerm): string | undefined {
  return one.phrase || other.phrase ? undefined : one.text + other.text;
}

/** How the archive spells words that it hardly knows: with other letters, unless they are of another language, or apart. */
async function otherSpellings(
  deps: SearchDeps,
  words: readonly string[],
  areForeign: boolean,
): Promise<Map<string, string[]>> {
  const apart = words.flatMap((word) => splitsOf(word).map((text) => ({ word, text })));
  const [like, counts] = await Promise.all([
    likeWords(deps, areForeign ? [] : words),
    countEach(
      deps,
      apart.map(({ text }) => inVocabulary(matchTerm, { text, phrase: true })),
    ),
  ]);
  const known = apart.filter((_, n) => (counts[n] ?? 0) > 0);
  return new Map(
    words.map((word) => {
      const parted = known.filter((one) => one.word === word).map(({ text }) => text);
      return [word, [...(like.get(word) ?? []), ...parted]];
    }),
  );
}

/** A word of letters in two, at every place where both have enough letters. */
function splitsOf(word: string): string[] {
  if (!/^\p{L}+$/u.test(word)) return [];
  const places = Math.max(0, word.length - 2 * SHORTEST_PART + 1);
  return Array.from({ length: places }, (_, n) => {
    const at = n + SHORTEST_PART;
    return `${word.slice(0, at)} ${word.slice(at)}`;
  });
}
