/** The longest passage that is shown (characters). */
export const PASSAGE = 240;

/** How much of the text before the first mark a clipped passage keeps (characters). */
const LEAD = 60;

/** How much shorter a clipped passage may begin and end, so that no word is cut (characters). */
const SLACK = 20;

const MARK = '<mark>';
const MARK_END = '</mark>';

/**
 * A passage of escaped text with marks. Where it is longer than PASSAGE, it is cut around its first mark. Elasticsearch
 * ends a passage at the end of a word, and some words (keys, encoded files) are thousands of characters long.
 */
export function clipPassage(escaped: string): string {
  if (escaped.length <= PASSAGE) return escaped;
  const places = placesOf(escaped);
  if (places.length <= PASSAGE) return escaped;
  const mark = escaped.indexOf(MARK);
  const lead = Math.max(0, places.findIndex((place) => place > mark) - LEAD);
  const isSpace = (n: number): boolean => /\s/.test(escaped[places[n] ?? -1] ?? ' ');
  const isBetween = (n: number): boolean => isSpace(n - 1) || isSpace(n);
  const first = nearest(lead, SLACK, isBetween);
  const last = nearest(first + PASSAGE, -SLACK, isBetween);
  // A mark that begins at the end of the passage is left out.
  const kept = escaped.slice(first === 0 ? 0 : places[first], places[last]).replace(/<mark>$/, '');
  const isOpen = kept.lastIndexOf(MARK) > kept.lastIndexOf(MARK_END);
  return kept + (isOpen ? MARK_END : '');
}

/** The first wanted one of `count` numbers from `from` on, downwards where `count` is negative; else `from`. */
function nearest(from: number, count: number, isWanted: (n: number) => boolean): number {
  const numbers = Array.from({ length: Math.abs(count) }, (_, n) => from + n * Math.sign(count));
  return numbers.find(isWanted) ?? from;
}

/** Where each visible character begins. In escaped text, `<` only begins a mark, and `&` only an escape. */
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
