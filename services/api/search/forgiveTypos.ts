import type { estypes } from '@elastic/elasticsearch';
import type { SearchDeps } from './askElasticsearch.js';
import { countWords, lookUp, mostOf, VOCABULARY, wordsOf, type Entry } from './lookUp.js';
import type { ParsedQuery, SearchTerm } from './parseQuery.js';

/** How much is forgiven. To find a word with wrong letters costs Elasticsearch milliseconds, whether there is one or not. */
export const FORGIVEN = { words: 3, fewestLetters: 3, mostLetters: 20, two: [6, 12] } as const;
/** Words of the archive that a word may stand for, of each field. */
const ALTERNATIVES = 5;

/** Longer queries are searched as written and inflected alone. */
const LONGEST = { terms: 16, characters: 160 } as const;

/** Whether weak matches of a query are looked for at all. */
export function mayForgive({ terms, text }: ParsedQuery): boolean {
  return terms.length <= LONGEST.terms && text.length <= LONGEST.characters;
}

/** A query whose rarest words know what they may be typos of: words that the archive has. */
export async function forgiveTypos(deps: SearchDeps, parsed: ParsedQuery): Promise<ParsedQuery> {
  const words = await rarest(deps, parsed.terms.filter(mayBeMistyped));
  const alternatives = await likeWords(deps, words);
  const terms = parsed.terms.map((term) => ({
    ...term,
    alternatives: term.phrase ? [] : (alternatives.get(term.text) ?? []),
  }));
  return { ...parsed, terms };
}

/** The archive's words that each of at most FORGIVEN.words words may be a typo of. */
export async function likeWords(
  deps: SearchDeps,
  words: readonly string[],
): Promise<Map<string, string[]>> {
  if (words.length === 0) return new Map();
  const { suggest = {} } = await lookUp(deps, { suggest: suggestersOf(words) });
  return new Map(
    words.map((word, index) => {
      const others = VOCABULARY.flatMap((field) =>
        ((suggest[nameOf(index, field)] ?? []) as Entry[]).flatMap((entry) => replace(word, entry)),
      );
      return [word, [...new Set(others)]];
    }),
  );
}

/** Whether a term may be a word with a typo that is forgiven. */
export function mayBeMistyped({ text, phrase }: SearchTerm): boolean {
  const letters = text.length;
  return !phrase && letters >= FORGIVEN.fewestLetters && letters <= FORGIVEN.mostLetters;
}

/** Those that stand in the fewest documents, where there are more words than are forgiven. */
async function rarest(deps: SearchDeps, terms: readonly SearchTerm[]): Promise<string[]> {
  const words = terms.map(({ text }) => text);
  if (words.length <= FORGIVEN.words) return words;
  const { counts } = await countWords(deps, words, 'as_written');
  const countOf = (word: string): number => mostOf(counts.get(word));
  return words.toSorted((a, b) => countOf(a) - countOf(b)).slice(0, FORGIVEN.words);
}

function suggestersOf(words: readonly string[]): estypes.SearchSuggester {
  return Object.fromEntries(
    words.flatMap((word, index) =>
      VOCABULARY.map((field) => [nameOf(index, field), suggesterOf(word, field)]),
    ),
  );
}

/** The second wrong letter is the costly one, more so in a longer word; nearly every word of a title stands in some message too. */
function suggesterOf(text: string, field: string): estypes.SearchFieldSuggester {
  const [from, to] = FORGIVEN.two;
  const forgivesTwo = field === 'content' && text.length >= from && text.length <= to;
  return {
    text,
    term: {
      field,
      suggest_mode: 'always',
      max_edits: forgivesTwo ? 2 : 1,
      prefix_length: 1,
      min_word_length: FORGIVEN.fewestLetters,
      // A word that stands in more of all documents is no typo.
      max_term_freq: 0.01,
      size: ALTERNATIVES,
    },
  };
}

function nameOf(index: number, field: string): string {
  return `${index}.${field}`;
}

/** The word with the part that the entry is about replaced, in each way. */
function replace(word: string, entry: Entry): string[] {
  const [before, after] = [word.slice(0, entry.offset), word.slice(entry.offset + entry.length)];
  return wordsOf(entry).map((other) => before + other + after);
}
