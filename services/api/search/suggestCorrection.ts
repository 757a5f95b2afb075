import type { estypes } from '@elastic/elasticsearch';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { SIGN_LETTERS } from '../../../shared/store/searchMapping.js';
import { askElasticsearch, CALL_LIMITS, type SearchDeps } from './askElasticsearch.js';
import { isWithinLimits, type ParsedQuery } from './parseQuery.js';

type Entry = estypes.SearchTermSuggest;

/** Where the words of the archive are looked up. */
const FIELDS = ['content', 'title'] as const;

/** The query with its unknown words corrected, when that finds something (`finds` tells); else null. Never markup. */
export async function suggestCorrection(
  deps: SearchDeps,
  { text }: ParsedQuery,
  finds: (query: string) => Promise<boolean>,
): Promise<string | null> {
  const { suggest = {} } = await ask(deps, { suggest: lookUp(text) });
  const byField = FIELDS.map((field) => (suggest[field] ?? []) as Entry[]);
  const known = await knownOf(deps, inDoubt(byField));
  const unknown = byField.map((entries) => entries.filter(({ text: word }) => !known.has(word)));
  const corrected = correct(text, unknown);
  if (corrected === null || !isWithinLimits(corrected)) return null;
  return (await finds(corrected)) ? corrected : null;
}

function ask({ elasticsearch, namespace }: SearchDeps, request: estypes.SearchRequest) {
  return askElasticsearch(() =>
    elasticsearch.search<unknown, { words: estypes.AggregationsFiltersAggregate }>(
      { index: searchAlias(namespace), size: 0, track_total_hits: false, ...request },
      CALL_LIMITS,
    ),
  );
}

/** The words that one field corrects and the other does not: it may know them. */
function inDoubt(byField: readonly Entry[][]): string[] {
  const entries = byField.flat();
  const isCorrected = ({ options }: Entry) => [options].flat().length > 0;
  const left = new Set(entries.filter((entry) => !isCorrected(entry)).map(({ text }) => text));
  const corrected = new Set(entries.filter(isCorrected).map(({ text }) => text));
  return [...corrected].filter((word) => left.has(word));
}

/** Those of the words that stand in any field. */
async function knownOf(deps: SearchDeps, words: readonly string[]): Promise<Set<string>> {
  if (words.length === 0) return new Set();
  const filters = words.map((word) => ({
    bool: { should: FIELDS.map((field) => ({ term: { [field]: word } })) },
  }));
  const { aggregations } = await ask(deps, { aggs: { words: { filters: { filters } } } });
  const counts = (aggregations?.words.buckets ?? []) as estypes.AggregationsFiltersBucket[];
  return new Set(words.filter((_, index) => (counts[index]?.doc_count ?? 0) > 0));
}

function lookUp(text: string): estypes.SearchSuggester {
  const term = { suggest_mode: 'missing', size: 5, sort: 'score', min_word_length: 4 } as const;
  return {
    text,
    ...Object.fromEntries(FIELDS.map((field) => [field, { term: { field, ...term } }])),
  };
}

/** Puts the best correction in the place of each word that has one; null when no word has. */
export function correct(text: string, byField: readonly Entry[][]): string | null {
  const replacements = new Map<number, { length: number; word: string }>();
  for (const { offset, length, options } of byField.flat()) {
    const word = [options].flat().find((option) => isPlain(option.text))?.text;
    if (word !== undefined && !replacements.has(offset)) replacements.set(offset, { length, word });
  }
  if (replacements.size === 0) return null;
  let corrected = '';
  let end = 0;
  for (const [offset, { length, word }] of [...replacements].sort(([a], [b]) => a - b)) {
    if (offset < end) continue;
    corrected += text.slice(end, offset) + word;
    end = offset + length;
  }
  return withoutMarkup(corrected + text.slice(end));
}

const signLetters = new RegExp(`[${Object.values(SIGN_LETTERS).join('')}]`, 'u');

/** Words that hold stand-in letters are the index's own. */
function isPlain(word: string): boolean {
  return !signLetters.test(word);
}

/** These signs match nothing, so a query means the same without them. */
function withoutMarkup(text: string): string {
  return text.replace(/[<>&]/g, ' ').replace(/\s+/g, ' ').trim();
}
