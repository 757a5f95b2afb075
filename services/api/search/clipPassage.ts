/** Longest passage shown (characters). */
export const PASSAGE = 240;

/** How much of the text before the first mark a clipped passage keeps (characters). */
const LEAD = 60;

const MARK = '<mark>';
const MARK_END = '</mark>';

/**
 * A passage of escaped text with marks, cut around its first mark when it is longer than PASSAGE: passages are chosen
 * between words, and some words (keys, encoded files) are thousands of characters long.
 */
export function clipPassage(escaped: string): string {
  if (escaped.length <= PASSAGE) return escaped;
  const places = placesOf(escaped);
  if (places.length <= PASSAGE) return escaped;
  const mark = escaped.indexOf(MARK);
  const first = Math.max(0, places.findIndex((place) => place > mark) - LEAD);
  const kept = escaped.slice(first === 0 ? 0 : places[first], places[first + PASSAGE]);
  const isOpen = kept.lastIndexOf(MARK) > kept.lastIndexOf(MARK_END);
  return kept + (isOpen ? MARK_END : '');
}

/** Where each character that a reader sees begins. Escaped text has `<` in marks and `&` in escapes alone. */
function placesOf(escaped: string): number[] {
  const places: number[] = [];
  let at = 0;
  while (at < escaped.length) {
    const sign = escaped[at];
    if (sign !== '<') places.push(at);
    if (sign === '<') at = behind('>', escaped, at);
    else if (sign === '&') at = behind(';', escaped, at);
    else at += escaped.codePointAt(at)! > 0xffff ? 2 : 1;
  }
  return places;
}

function behind(sign: string, text: string, from: number): number {
  return text.indexOf(sign, from) + 1 || text.length;
}
