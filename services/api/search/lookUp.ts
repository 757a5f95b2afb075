import type { estypes } from '@elastic/elasticsearch';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { SIGN_LETTERS } from '../../../shared/store/searchMapping.js';
import { askElasticsearch, CALL_LIMITS, type SearchDeps } from './askElasticsearch.js';
import { anyOf, phraseIn } from './matchTerms.js';

/** A word of a query as the index takes it, with the archive's words that are like it. */
export type Entry = estypes.SearchTermSuggest;

/** Where the words of the archive are looked up: all other text is made of the same. */
export const VOCABULARY = ['content', 'title'] as const;

/** Asks the index about words, not for documents. */
export function lookUp({ elasticsearch, namespace }: SearchDeps, request: estypes.SearchRequest) {
  return askElasticsearch(() =>
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
  if (words.length === 0) return new Map();
  const filters = words.map((word) => anyOf(VOCABULARY.map((field) => phraseIn(field, word))));
  const { aggregations } = await lookUp(deps, { aggs: { words: { filters: { filters } } } });
  const counts = (aggregations?.words.buckets ?? []) as estypes.AggregationsFiltersBucket[];
  return new Map(words.map((word, index) => [word, counts[index]?.doc_count ?? 0]));
}

/** The archive's words in an entry that readers know too: some hold letters that stand for signs in the index alone. */
export function wordsOf({ options }: Entry): string[] {
  return [options].flat().flatMap(({ text }) => (signLetters.test(text) ? [] : [text]));
}

const signLetters = new RegExp(`[${Object.values(SIGN_LETTERS).join('')}]`, 'u');
