import type { estypes } from '@elastic/elasticsearch';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { SIGN_LETTERS, STEM_MARK } from '../../../shared/store/searchMapping.js';
import {
  CALL_LIMITS,
  searchElasticsearch,
  searchIndex,
  type Request,
  type SearchDeps,
} from './askElasticsearch.js';

/** A word of a query as the index reads it, with similar words of the archive. */
export type Entry = estypes.SearchTermSuggest;

/** The fields in which words of the archive are looked up. All other text fields hold the same words. */
export const VOCABULARY = ['content', 'heading'] as const;

/** Asks the index about words. It asks for no documents. */
export function lookUp(deps: SearchDeps, request: Request) {
  return searchIndex(deps, { size: 0, track_total_hits: false, ...request });
}

/**
 * How many documents the archive has (messages, and threads with their titles), and how many of them hold certain
 * words.
 */
export interface WordCounts {
  all: number;
  /** For each text, the counts of its words. */
  counts: ReadonlyMap<string, readonly number[]>;
}

/**
 * Counts the documents that hold the words of some texts, `as_written` or `inflected`. Elasticsearch analyses the texts
 * as if they were a document, and reads the counts from its dictionaries. So the cost does not grow with the archive.
 */
export async function countWords(
  deps: SearchDeps,
  texts: readonly string[],
  analyzer: 'as_written' | 'inflected',
): Promise<WordCounts> {
  if (texts.length === 0) return { all: 0, counts: new Map() };
  const { elasticsearch, namespace } = deps;
  const eachField = <T>(value: T) =>
    Object.fromEntries(VOCABULARY.map((field) => [field, value] as const));
  const { term_vectors: vectors = {} } = await searchElasticsearch(deps, () =>
    elasticsearch.termvectors(
      {
        index: searchAlias(namespace),
        doc: eachField(texts.join(BETWEEN)),
        fields: [...VOCABULARY],
        per_field_analyzer: eachField(analyzer),
        term_statistics: true,
        field_statistics: true,
        offsets: true,
        positions: true,
      },
      CALL_LIMITS,
    ),
  );
  const byField = VOCABULARY.flatMap((field) => vectors[field] ?? []);
  const all = byField.reduce((sum, { field_statistics: of }) => sum + (of?.doc_count ?? 0), 0);
  return { all, counts: countsOf(texts, byField) };
}

/** The most documents that may hold a text: as many as hold its rarest word. */
export function mostOf(counts: readonly number[] | undefined): number {
  return counts === undefined || counts.length === 0 ? 0 : Math.min(...counts);
}

const BETWEEN = '\n';

/** Matches a word of digits alone, in any script. */
export const DIGITS = /^\p{Nd}+$/u;

/** Adds up the counts of a word over all fields, and over all forms at its place. */
function countsOf(
  texts: readonly string[],
  byField: readonly estypes.TermvectorsTermVector[],
): WordCounts['counts'] {
  let end = 0;
  const sought = texts.map((text) => {
    end += text.length + BETWEEN.length;
    return { text, end, byPlace: new Map<number, number>() };
  });
  for (const { terms } of byField) {
    for (const { doc_freq: count = 0, tokens = [] } of Object.values(terms)) {
      for (const { position = 0, start_offset: start = 0 } of tokens) {
        const byPlace = sought.find((one) => start < one.end)?.byPlace;
        byPlace?.set(position, (byPlace.get(position) ?? 0) + count);
      }
    }
  }
  return new Map(sought.map(({ text, byPlace }) => [text, [...byPlace.values()]]));
}

/**
 * The words of the archive that are like the word of an entry, as readers write them. The index also holds stems, which
 * are left out, and letters in place of signs, which become signs again. No number is like another number.
 */
export function wordsOf({ text: word, options }: Entry): string[] {
  if (DIGITS.test(word)) return [];
  return [options]
    .flat()
    .flatMap(({ text }) => (text.startsWith(STEM_MARK) ? [] : [withSigns(text)]));
}

function withSigns(word: string): string {
  return Object.entries(SIGN_LETTERS).reduce(
    (text, [sign, letter]) => text.replaceAll(letter, sign),
    word,
  );
}
