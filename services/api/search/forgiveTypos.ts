import type { estypes } from '@elastic/elasticsearch';
import type { SearchDeps } from './askElasticsearch.js';
import { countPieces } from './countPieces.js';
import { countWords, lookUp, mostOf, VOCABULARY, wordsOf, type Entry } from './lookUp.js';
import type { ParsedQuery, SearchTerm } from './parseQuery.js';

/**
 * How much is forgiven. Looking for a word with wrong letters costs Elasticsearch milliseconds, whether there is one or
 * not.
 */
export const FORGIVEN = {
  words: 3,
  fewestLetters: 3,
  mostLetters: 40,
  /** From how many letters on, and up to how many, a word may have two wrong letters. */
  two: [6, 12],
  /** From so many letters on, the first one may be wrong. A shorter word is like too many others then. */
  firstFrom: 7,
} as const;
/** The most words of the archive that a word may be a typo of: the most similar ones. */
const ALTERNATIVES = 3;
/** The archive knows a word that is in more documents, and in more than this part of all documents. */
const KNOWN = { documents: 3, part: 0.001 } as const;

/** Whether the archive, which has `all` documents, knows a word that is in `count` of them. Such a word is no typo. */
export function isKnown(count: number, all: number): boolean {
  return count > Math.max(KNOWN.documents, KNOWN.part * all);
}

/** Adds to the rarest words of a query the words of the archive that they may be typos of. */
export async function forgiveTypos(deps: SearchDeps, parsed: ParsedQuery): Promise<ParsedQuery> {
  const words = await rarest(deps, parsed.terms.filter(mayBeMistyped));
  const alternatives = await likeWords(deps, words);
  const terms = parsed.terms.map((term) => ({
    ...term,
    alternatives: term.phrase ? [] : (alternatives.get(term.text) ?? []),
  }));
  return { ...parsed, terms };
}

/** For each of at most FORGIVEN.words words: the words of the archive that it may be a typo of. */
export async function likeWords(
  deps: SearchDeps,
  words: readonly string[],
): Promise<Map<string, string[]>> {
  if (words.length === 0) return new Map();
  const { suggest = {} } = await lookUp(deps, { suggest: suggestersOf(words) });
  return new Map(
    words.map((word, index) => {
      const entries = VOCABULARY.flatMap(
        (field) => (suggest[nameOf(index, field)] ?? []) as Entry[],
      );
      const others = nearest(entries).flatMap((entry) => replace(word, entry));
      return [word, [...new Set(others)].slice(0, ALTERNATIVES)];
    }),
  );
}

/**
 * Leaves in each entry only the words that differ from its text by one typo and have the same first letter. Where no
 * entry has such a word, those with one typo may have another first letter, if the text is long. Where none has such a
 * word either, those with two typos are left. Otherwise `conect` would find a rare `contact`, which differs by two
 * typos, before `connect`, because a match of a rarer word counts for more.
 */
function nearest(entries: readonly Entry[]): readonly Entry[] {
  const only = (isNear: (word: string, other: string) => boolean) =>
    entries.map((entry) => ({
      ...entry,
      options: [entry.options].flat().filter(({ text }) => isNear(entry.text, text)),
    }));
  const ways = [
    only((word, other) => word[0] === other[0] && isOneTypo(word, other)),
    only((word, other) => word.length >= FORGIVEN.firstFrom && isOneTypo(word, other)),
    only((word, other) => word[0] === other[0]),
  ];
  return ways.find((way) => way.some(({ options }) => options.length > 0)) ?? [];
}

/** Whether two words differ in one letter, which is wrong, missing or too many, or in two swapped ones. */
export function isOneTypo(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [left, right] = [
    one.slice(start, one.length - end),
    other.slice(start, other.length - end),
  ];
  const isSwap = left.length === 2 && right.length === 2 && left === right[1]! + right[0]!;
  return isSwap || (left.length <= 1 && right.length <= 1);
}

/** Whether a term may be a word with a typo that is forgiven. A number is not: another number is something else. */
export function mayBeMistyped({ text, phrase }: SearchTerm): boolean {
  const isSized = text.length >= FORGIVEN.fewestLetters && text.length <= FORGIVEN.mostLetters;
  return !phrase && isSized && /\p{L}/u.test(text);
}

/** The terms' words that stand in few documents, rarest first. */
async function rarest(deps: SearchDeps, terms: readonly SearchTerm[]): Promise<string[]> {
  const words = terms.map(({ text }) => text);
  const { all, counts } = await countWords(deps, words, 'as_written');
  const countOf = (word: string): number => mostOf(counts.get(word));
  return words
    .filter((word) => !isKnown(countOf(word), all))
    .sort((a, b) => countOf(a) - countOf(b))
    .slice(0, FORGIVEN.words);
}

function suggestersOf(words: readonly string[]): estypes.SearchSuggester {
  return Object.fromEntries(
    words.flatMap((word, index) =>
      VOCABULARY.map((field) => [nameOf(index, field), suggesterOf(word, field)]),
    ),
  );
}

/**
 * Looks for similar words in a field. A second wrong letter costs much more than the first, above all in long words. So
 * it is only looked for in messages: nearly every word of a title also stands in some message.
 */
function suggesterOf(text: string, field: string): estypes.SearchFieldSuggester {
  const [from, to] = FORGIVEN.two;
  // Elasticsearch tells the most similar words only. The short parts of a compound are like too many others.
  const mayFirstBeWrong = text.length >= FORGIVEN.firstFrom && countPieces([{ text }]) === 1;
  const forgivesTwo = field === 'content' && text.length >= from && text.length <= to;
  return {
    text,
    term: {
      field,
      suggest_mode: 'always',
      max_edits: forgivesTwo ? 2 : 1,
      prefix_length: mayFirstBeWrong ? 0 : 1,
      min_word_length: FORGIVEN.fewestLetters,
      // The caller has left out common words. All words that it passes are to be looked up.
      max_term_freq: 0.99,
      size: ALTERNATIVES,
    },
  };
}

function nameOf(index: number, field: string): string {
  return `${index}.${field}`;
}

/** The word, with the part that the entry describes replaced by each of the entry's words. */
function replace(word: string, entry: Entry): string[] {
  const [before, after] = [word.slice(0, entry.offset), word.slice(entry.offset + entry.length)];
  return wordsOf(entry).map((other) => before + other + after);
}
