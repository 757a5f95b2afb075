import type { estypes } from '@elastic/elasticsearch';
import type { SearchDeps } from './askElasticsearch.js';
import { foldLetters, tellingTerms } from './functionWords.js';
import { countWords, lookUp, mostOf, VOCABULARY, wordsOf, type Entry } from './lookUp.js';
import { parseQuery, type ParsedQuery } from './parseQuery.js';
import type { Hit } from './presentResults.js';

/** Only queries with few words, none of which is long, are corrected. */
const CORRECTED = { words: 8, letters: 20 } as const;

/**
 * How many similar words are tried for an unknown word. The second one is tried where the query finds nothing with the
 * first.
 */
const TRIED = 2;

/** Whether a correction is looked for at all. For a longer query it costs too much, and is seldom needed. */
export function mayBeCorrected({ text }: Pick<ParsedQuery, 'text'>): boolean {
  const words = text.split(' ');
  return (
    words.length <= CORRECTED.words && words.every(({ length }) => length <= CORRECTED.letters)
  );
}

/**
 * The query with its unknown words corrected. Null where no correction finds anything: `find` gives the best hit. The
 * query holds no markup.
 */
export async function suggestCorrection(
  deps: SearchDeps,
  { text }: ParsedQuery,
  find: (query: string) => Promise<Hit | undefined>,
): Promise<string | null> {
  const { suggest = {} } = await lookUp(deps, { suggest: suggesterOf(text) });
  const byField = VOCABULARY.map((field) => (suggest[field] ?? []) as Entry[]);
  const { counts } = await countWords(deps, inDoubt(byField), 'as_written');
  const unknown = byField.map((entries) =>
    entries.filter(({ text: word }) => mostOf(counts.get(word)) === 0),
  );
  for (let rank = 0; rank < TRIED; rank += 1) {
    const corrected = correct(text, unknown, { rank });
    if (corrected === null) return null;
    const best = tellsSomething(corrected) ? await find(corrected) : undefined;
    if (best) return correct(text, unknown, { rank, spellings: spellingsIn(best) });
  }
  return null;
}

/** Whether a query has a word that says something about a subject. Nobody looks for function words alone. */
function tellsSomething(query: string): boolean {
  return tellingTerms(parseQuery(query).terms).length > 0;
}

/** How the marked words of a hit are written, in small letters, by these words without accents. */
function spellingsIn({ highlight = {} }: Pick<Hit, 'highlight'>): Map<string, string> {
  const marked = Object.values(highlight)
    .flat()
    .flatMap((text) => [...text.matchAll(/<mark>([^<&]*)<\/mark>/g)].map(([, word = '']) => word));
  return new Map(marked.map((word) => [foldLetters(word), word.toLowerCase()]));
}

/** Words that one field corrects and the other does not. The other field may know them. */
function inDoubt(byField: readonly Entry[][]): string[] {
  const entries = byField.flat();
  const isCorrected = ({ options }: Entry) => [options].flat().length > 0;
  const left = new Set(entries.filter((entry) => !isCorrected(entry)).map(({ text }) => text));
  const corrected = new Set(entries.filter(isCorrected).map(({ text }) => text));
  return [...corrected].filter((word) => left.has(word));
}

/**
 * Looks for words with one wrong letter, but with the first two letters right. Common words come before rare ones,
 * which may be typos themselves.
 */
function suggesterOf(text: string): estypes.SearchSuggester {
  const term = {
    suggest_mode: 'missing',
    size: 5,
    sort: 'frequency',
    min_word_length: 4,
    max_edits: 1,
    prefix_length: 2,
  } as const;
  return {
    text,
    ...Object.fromEntries(VOCABULARY.map((field) => [field, { term: { field, ...term } }])),
  };
}

/**
 * Replaces each word that has corrections by the one of a rank; rank 0 is the best one. A word with fewer corrections
 * is replaced by its best one. Null where no word has a correction of this rank. The index holds words without accents,
 * and `spellings` tells how they are written.
 */
export function correct(
  text: string,
  byField: readonly Entry[][],
  {
    rank = 0,
    spellings = new Map(),
  }: { rank?: number; spellings?: ReadonlyMap<string, string> } = {},
): string | null {
  const found = new Map<number, { length: number; words: string[] }>();
  for (const entry of byField.flat()) {
    const { offset, length } = entry;
    const words = wordsOf(entry);
    const known = found.get(offset) ?? { length, words: [] };
    // A word and its first part begin at the same place. The first one with a correction counts.
    if (words.length === 0 || known.length !== length) continue;
    found.set(offset, { length, words: [...new Set([...known.words, ...words])] });
  }
  if ([...found.values()].every(({ words }) => words.length <= rank)) return null;
  let corrected = '';
  let end = 0;
  for (const [offset, { length, words }] of [...found].sort(([a], [b]) => a - b)) {
    if (offset < end) continue;
    const word = words[rank] ?? words[0]!;
    corrected += text.slice(end, offset) + (spellings.get(foldLetters(word)) ?? word);
    end = offset + length;
  }
  return withoutMarkup(corrected + text.slice(end));
}

/** Removes signs of markup. They match nothing, so the query means the same without them. */
function withoutMarkup(text: string): string {
  return text.replace(/[<>&]/g, ' ').replace(/\s+/g, ' ').trim();
}
