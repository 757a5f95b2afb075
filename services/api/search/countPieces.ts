import { LONG_WORD } from '../../../shared/store/searchMapping.js';
import { SINGLE_LETTER } from './scripts.js';

/** Matches a flag, or an emoji with everything that is joined to it. */
export const EMOJI =
  /\p{Regional_Indicator}{1,2}|\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier}|[\u{E0020}-\u{E007F}]|\u200D\p{Extended_Pictographic})*/u;

/**
 * Matches a single character of a script without spaces, or letters or digits in a row. Vowel signs and apostrophes
 * belong to the letters around them.
 */
const SHORT_PIECE = String.raw`${SINGLE_LETTER}|(?:(?!${SINGLE_LETTER})(?:\p{L}\p{M}*|(?<=[\p{L}\p{M}])['’](?=\p{L})))+|\p{Nd}+`;

const PIECE = new RegExp(`${LONG_WORD}|${SHORT_PIECE}|${EMOJI.source}`, 'gu');

/** How many words the index makes of some terms. Each term counts as at least one. */
export function countPieces(terms: readonly { text: string }[]): number {
  return terms.reduce((sum, { text }) => sum + Math.max(1, text.match(PIECE)?.length ?? 0), 0);
}

/** The beginning of a text, with at most so many of the words that the index makes of it. */
export function firstPieces(text: string, most: number): string {
  const pieces = [...text.matchAll(PIECE)];
  const last = pieces[most - 1];
  return last && pieces.length > most ? text.slice(0, last.index + last[0].length) : text;
}
