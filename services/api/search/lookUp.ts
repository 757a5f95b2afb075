import type { estypes } from '@elastic/elasticsearch';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { SIGN_LETTERS, STEM_MARK } from '../../../shared/store/searchMapping.js';
import { searchElasticsearch, CALL_LIMITS, type SearchDeps } from './askElasticsearch.js';
import { anyOf, asWritten, type Match, type Query } from './matchTerms.js';
import { wordTerm, type SearchTerm } from './parseQuery.js';

/** A word of a query as the index takes it, with the archive's words that are like it. */
export type Entry = estypes.SearchTermSuggest;

/** Where the words of the archive are looked up: all other text is made of the same. */
export const VOCABULARY = ['content', 'heading'] as const;

/** Asks the index about words, not for documents. */
export function lookUp({ elasticsearch, namespace }: SearchDeps, request: estypes.SearchRequest) {
  return searchElasticsearch(() =>
    elasticsearch.search<unknown, { words: estypes.AggregationsFiltersAggregate }>(
      { index: searchAlias(namespace), size: 0, track_total_hits: false, ...request },
      CALL_LIMITS,
    ),
  );
}

/** In how many documents each of the words stands as written. */
export async function countWords(
  deps: SearchDeps,
  words: readonly string[],
): Promise<Map<string, number>> {
  const filters = words.map((word) => inVocabulary(asWritten, wordTerm(word)));
  const counts = await countEach(deps, filters);
  return new Map(words.map((word, index) => [word, counts[index] ?? 0]));
}

/** How many documents each of the queries finds. Only documents in `among` count. */
export async function countEach(
  deps: SearchDeps,
  filters: Query[],
  among?: Query,
): Promise<number[]> {
  if (filters.length === 0) return [];
  const { aggregations } = await lookUp(deps, {
    ...(among && { query: { bool: { filter: [among] } } }),
    aggs: { words: { filters: { filters } } },
  });
  const counts = (aggregations?.words.buckets ?? []) as estypes.AggregationsFiltersBucket[];
  return counts.map(({ doc_count }) => doc_count);
}

/** The documents that hold a term. */
export function inVocabulary(match: Match, term: SearchTerm): Query {
  return anyOf(VOCABULARY.map((field) => match(field, term)));
}

/** The archive's words in an entry that readers know too: the index also holds stems, and letters that stand for signs. */
export function wordsOf({ options }: Entry): string[] {
  return [options].flat().flatMap(({ text }) => (signLetters.test(text) ? [] : [text]));
}

const signLetters = new RegExp(`[${Object.values(SIGN_LETTERS).join('')}${STEM_MARK}]`, 'u');
