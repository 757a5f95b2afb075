/** The longest passage that is shown (characters). */
export const PASSAGE = 240;

/** How much text Elasticsearch gives for a passage (characters): enough to choose from. */
export const SURROUNDINGS = 3 * PASSAGE;

/**
 * How much text a passage keeps before its marks (characters). Where the sentence begins within `sentence`, the passage
 * begins there, else `words` before the marks.
 */
const LEAD = { sentence: 120, words: 60 } as const;

/** The longest distance between words that are shown together (characters, markup included). */
const NEAR = PASSAGE - LEAD.sentence;

/** How much shorter a clipped passage may begin and end, so that no word is cut (characters). */
const SLACK = 20;

const MARK = '<mark>';
const MARK_END = '</mark>';

/**
 * A passage of escaped text with marks. Where it is longer than PASSAGE, it is cut around the place with the most
 * different marked words. Some words (keys, encoded files) are thousands of characters long.
 */
export function clipPassage(escaped: string): string {
  if (escaped.length <= PASSAGE) return escaped;
  const places = placesOf(escaped);
  if (places.length <= PASSAGE) return escaped;
  const signAt = (n: number): string => escaped[places[n] ?? -1] ?? ' ';
  const isSpace = (n: number): boolean => /\s/.test(signAt(n));
  const begins = (n: number): boolean =>
    n === 0 || /[\n。！？]/.test(signAt(n - 1)) || (isSpace(n - 1) && /[.!?…]/.test(signAt(n - 2)));
  const isBetween = (n: number): boolean => isSpace(n - 1) || isSpace(n) || begins(n);
  const mark = bestMark(escaped);
  const at = places.findIndex((place) => place > mark);
  const sentence = nearest(at, -LEAD.sentence, begins);
  const start = begins(sentence) ? sentence : at - LEAD.words;
  const whole = Math.min(start, places.length - PASSAGE);
  const first = nearest(Math.max(0, whole), SLACK, isBetween);
  const last = nearest(first + PASSAGE, -SLACK, isBetween);
  // A mark that begins at the end of the passage is left out.
  const kept = escaped.slice(places[first], places[last]).replace(/<mark>$/, '');
  const begun = (isOpen(escaped.slice(0, places[first])) ? MARK : '') + kept;
  return begun + (isOpen(begun) ? MARK_END : '');
}

/** Whether a text ends inside a mark. */
function isOpen(text: string): boolean {
  return text.lastIndexOf(MARK) > text.lastIndexOf(MARK_END);
}

/**
 * The position of a mark: the one from which on the most different marked words stand near each other. Of several, it is
 * the one whose words stand nearest to each other.
 */
function bestMark(escaped: string): number {
  const marks = [...escaped.matchAll(/<mark>(.*?)<\/mark>/gs)];
  let best = { words: 0, length: 0, index: 0 };
  for (const [n, { index }] of marks.entries()) {
    const words = new Set<string>();
    let length = 0;
    // A long word may hold thousands of marks. No more than NEAR of them stand near.
    for (const { 1: word = '', index: other } of marks.slice(n, n + NEAR)) {
      if (other - index > NEAR) break;
      if (words.size < words.add(word.toLowerCase()).size) length = other - index;
    }
    const { size } = words;
    if (size > best.words || (size === best.words && length < best.length)) {
      best = { words: size, length, index };
    }
  }
  return best.index;
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
