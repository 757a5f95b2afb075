import { LONG_WORD } from '../../../shared/store/searchMapping.js';
import type { SearchTerm } from './parseQuery.js';

/** A flag, or an emoji with what is joined to it. */
const EMOJI =
  /\p{Regional_Indicator}{1,2}|\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier}|\u200D\p{Extended_Pictographic})*/u;

/**
 * Single characters of scripts without spaces, or letters or digits that stand together. Vowel signs and apostrophes
 * belong to the letters around them.
 */
const SHORT_PIECE =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Mymr}\p{sc=Khmr}]|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Mymr}\p{sc=Khmr}])(?:\p{L}\p{M}*|(?<=[\p{L}\p{M}])['’](?=\p{L})))+|\p{Nd}+/u;

const PIECE = new RegExp(`${LONG_WORD}|${SHORT_PIECE.source}|${EMOJI.source}`, 'gu');

/** How many words the index makes of some terms. Each term is one at least. */
export function countPieces(terms: readonly Pick<SearchTerm, 'text'>[]): number {
  return terms.reduce((sum, { text }) => sum + Math.max(1, text.match(PIECE)?.length ?? 0), 0);
}
