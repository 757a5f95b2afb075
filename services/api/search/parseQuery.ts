import { composed } from '../../../shared/store/searchIndex.js';
import { APOSTROPHES } from '../../../shared/store/searchMapping.js';
import { EMOJI } from './countPieces.js';
import { UNSPACED_LETTER } from './scripts.js';

/** A word of a query, or the words of a quoted phrase. */
export interface SearchTerm {
  text: string;
  phrase: boolean;
  /** The word that it is a part of: `wi-fi` for `wi`. */
  compound?: string;
  /** Texts that count as this word, as the operator has defined. */
  synonyms?: readonly string[];
  /** Words that this one may be a typo of, where typos are forgiven. */
  alternatives?: readonly string[];
  /** The beginning of longer words that count as this one, and how much they count. */
  begun?: { text: string; weight: number };
}

/**
 * A parsed query. `words` is how many words a reader would count, each emoji as one. `terms` is empty where nothing can
 * be found.
 */
export interface ParsedQuery {
  /** The query in a form that can be analysed: composed, without control characters. */
  text: string;
  terms: SearchTerm[];
  words: number;
}

/** Makes a term of a word. */
export function wordTerm(text: string): SearchTerm {
  return { text, phrase: false };
}

/**
 * Matches a character that can be looked for: a letter, a digit or an emoji. The signs ©, ® and ™ are none, although
 * the index holds them: whoever copies a name with such a sign looks for the name. Neither is an apostrophe, although
 * Unicode calls some of them letters.
 */
const SEARCHABLE = new RegExp(
  `(?![©®™${APOSTROPHES.join('')}])[\\p{L}\\p{Nd}\\p{Regional_Indicator}\\p{Extended_Pictographic}]`,
  'u',
);

const EMOJIS = new RegExp(EMOJI, 'gu');

/** Matches a letter or digit of a script that puts spaces between words. */
const SPACED = `(?!${UNSPACED_LETTER})[\\p{L}\\p{N}]`;

/**
 * Matches a quoted phrase. The quote opens where no word comes before it, and closes where none follows: 5" and 3" are
 * inches. Where words are written side by side, any of them may come before it and follow.
 */
const PHRASE = new RegExp(`(?<!${SPACED})"([^"]*)"(?!${SPACED})`, 'u');

/** Matches the quotes of other languages. */
const QUOTES = /[“”„‟«»＂「」『』]/gu;

const wordBreaks = new Intl.Segmenter('en', { granularity: 'word' });

/** Splits a query into words and "phrases". There is no other syntax. */
export function parseQuery(q: string): ParsedQuery {
  const text = cleanText(q);
  return { text, terms: uniqueTerms(splitTerms(text)), words: countWords(text) };
}

const APOSTROPHE = new RegExp(`(?<=\\p{L})[${APOSTROPHES.join('')}](?=\\p{L})`, 'gu');

/**
 * A text in composed form (NFC). Lone surrogates, control characters and private characters become spaces, several
 * spaces become one, and every apostrophe in a word becomes the same sign.
 */
export function cleanText(text: string): string {
  return composed(text.replace(/[\p{Cc}\p{Cs}\p{Co}]/gu, ' '))
    .replace(APOSTROPHE, "'")
    .replace(/\s+/gu, ' ')
    .trim();
}

function splitTerms(text: string): SearchTerm[] {
  const parts = text.replace(QUOTES, '"').split(PHRASE);
  return parts.flatMap((part, index): SearchTerm[] =>
    // After the split, the quoted parts have odd indexes.
    index % 2 === 1 ? [{ text: part.trim(), phrase: true }] : wordsIn(part).map(wordTerm),
  );
}

/** Signs that the index drops, in front of a word and behind it. */
const SIGNS = String.raw`()\[\]{}<>"*_~|,;:!?¡¿…\/\\（）「」『』、。！？` + '`';

/**
 * Matches such signs around a word, but not those that belong to it, as in `.NET`, `--flag`, `C++` and `C#`. In Hebrew,
 * an apostrophe at the end belongs to the word.
 */
const AROUND_WORD = new RegExp(
  `^[${SIGNS}'‘’@#]+|(?:[${SIGNS}.]|(?<!\\p{sc=Hebrew})['‘’])+$`,
  'gu',
);

/** A word without brackets, quotes and other signs around it, as the index has it. */
export function bareWord(word: string): string {
  return word.replace(AROUND_WORD, '');
}

/** The bare words of a text. An emoji is a word of its own, as it is in the index. */
function wordsIn(text: string): string[] {
  return text.replace(EMOJIS, ' $& ').split(' ').map(bareWord);
}

/** Whether a text holds anything that can be found. */
export function isSearchable(text: string): boolean {
  return SEARCHABLE.test(text);
}

function uniqueTerms(terms: SearchTerm[]): SearchTerm[] {
  const unique = new Map<string, SearchTerm>();
  for (const term of terms) {
    if (!isSearchable(term.text)) continue;
    const key = `${term.phrase} ${term.text.toLowerCase()}`;
    if (!unique.has(key)) unique.set(key, term);
  }
  return [...unique.values()];
}

function countWords(text: string): number {
  const parts = [...wordBreaks.segment(text)];
  return parts.filter(({ segment, isWordLike }) => isWordLike || isSearchable(segment)).length;
}
