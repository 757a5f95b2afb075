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
  { elasticsearch, namespace }: SearchDeps,
  { text }: ParsedQuery,
  finds: (query: string) => Promise<boolean>,
): Promise<string | null> {
  const { suggest = {} } = await askElasticsearch(() =>
    elasticsearch.search(
      { index: searchAlias(namespace), size: 0, suggest: lookUp(text) },
      CALL_LIMITS,
    ),
  );
  const byField = FIELDS.map((field) => (suggest[field] ?? []) as Entry[]);
  const corrected = correct(text, byField);
  if (corrected === null || !isWithinLimits(corrected)) return null;
  return (await finds(corrected)) ? corrected : null;
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
