/** The longest passage that is shown (characters). */
export const PASSAGE = 240;

/**
 * How much text a passage keeps before its marks (characters). Where the sentence begins within `sentence`, the passage
 * begins there, else `words` before the marks. It is less where the marks need the room.
 */
const LEAD = { sentence: 120, words: 60 } as const;

/** How much shorter a clipped passage may begin and end, so that no word is cut, or else no letter (characters). */
const SLACK = 20;

/** How many characters before a place are looked at to tell whether it is within a letter or an emoji. */
const CONTEXT = 64;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The longest distance between words that are shown together (characters, markup included). */
const NEAR = PASSAGE - 2 * SLACK;

/**
 * The most marks that are compared. Anybody may post messages that hold a word thousands of times, and one answer shows a
 * hundred of them.
 */
const MOST_MARKS = 250;

/**
 * How much of an escaped text around a mark is looked at: a passage with all that comes before the mark, where every
 * character is escaped and marked.
 */
const AROUND = '<mark>&quot;</mark>'.length * (PASSAGE + LEAD.sentence + SLACK);

const MARK = '<mark>';
const MARK_END = '</mark>';

/** A passage of a whole text, which is escaped and has marks. A long text is cut around the place with the best marks. */
export function clipPassage(escaped: string): string {
  if (escaped.length <= PASSAGE) return escaped;
  const { index: mark, length } = bestMarks(escaped);
  const places = placesOf(escaped, mark);
  if (places.length <= PASSAGE) return escaped;
  const signAt = (n: number): string => escaped[places[n] ?? -1] ?? ' ';
  const isSpace = (n: number): boolean => /\s/.test(signAt(n));
  const begins = (n: number): boolean =>
    places[n] === 0 ||
    /[\n。！？]/.test(signAt(n - 1)) ||
    (isSpace(n - 1) && /[\p{Sentence_Terminal}…]/u.test(signAt(n - 2)));
  const isBetween = (n: number): boolean => isSpace(n - 1) || isSpace(n) || begins(n);
  // Not between a letter and its marks, and not within an emoji that has several characters.
  const isWhole = (n: number): boolean => {
    const from = Math.max(0, n - CONTEXT);
    const signs = places
      .slice(from, n + 1)
      .map((place) => String.fromCodePoint(escaped.codePointAt(place)!));
    const before = signs.slice(0, n - from).join('');
    return graphemes.segment(signs.join('')).containing(before.length)?.index === before.length;
  };
  const cut = (n: number, count: number): number => {
    const between = nearest(n, count, isBetween);
    return isBetween(between) ? between : nearest(n, count, isWhole);
  };
  const at = places.findIndex((place) => place > mark);
  const room = NEAR - length;
  const sentence = nearest(at, -Math.min(LEAD.sentence, room), begins);
  const start = begins(sentence) ? sentence : at - Math.min(LEAD.words, room);
  const whole = Math.max(0, Math.min(start, places.length - PASSAGE));
  // The passage may begin later, but not behind the beginning of the first mark.
  const first = cut(whole, Math.min(SLACK, at + 1 - whole));
  const last = cut(first + PASSAGE, -SLACK);
  // A mark that begins at the end of the passage is left out, and so are spaces and empty lines at both ends.
  const kept = escaped
    .slice(places[first], places[last])
    .replace(/<mark>$/, '')
    .trim();
  const begun = (isOpen(escaped.slice(0, places[first])) ? MARK : '') + kept;
  return begun + (isOpen(begun) ? MARK_END : '');
}

/** Whether a text ends inside a mark. */
function isOpen(text: string): boolean {
  return text.lastIndexOf(MARK) > text.lastIndexOf(MARK_END);
}

/**
 * Finds the place where the most telling marked words stand near each other. `index` is where the first of their marks
 * begins, and `length` is how far behind it the last one begins. A word is the more telling, the fewer marks it has. Of
 * places with equally telling words, this takes the one where they stand nearest to each other.
 */
function bestMarks(escaped: string): { index: number; length: number } {
  const marks: { word: string; index: number }[] = [];
  for (const { 1: word = '', index } of escaped.matchAll(/<mark>(.*?)<\/mark>/gs)) {
    if (marks.push({ word: word.toLowerCase(), index }) === MOST_MARKS) break;
  }
  const counts = new Map<string, number>();
  for (const { word } of marks) counts.set(word, (counts.get(word) ?? 0) + 1);
  let best = { telling: 0, length: 0, index: 0 };
  for (const [n, { index }] of marks.entries()) {
    const words = new Set<string>();
    let telling = 0;
    let length = 0;
    // Before the first mark that is too far away come no more than NEAR others.
    for (let next = n; next < marks.length; next += 1) {
      const { word, index: other } = marks[next]!;
      if (other - index > NEAR) break;
      if (words.has(word)) continue;
      words.add(word);
      // Whole numbers, so that the order in which they are added makes no difference.
      telling += Math.ceil(1e6 / counts.get(word)!);
      length = other - index;
    }
    if (telling > best.telling || (telling === best.telling && length < best.length)) {
      best = { telling, length, index };
    }
  }
  return best;
}

/** The first wanted one of `count` numbers from `from` on, downwards where `count` is negative; else `from`. */
function nearest(from: number, count: number, isWanted: (n: number) => boolean): number {
  const numbers = Array.from({ length: Math.abs(count) }, (_, n) => from + n * Math.sign(count));
  return numbers.find(isWanted) ?? from;
}

/**
 * Where each visible character around a mark begins. In escaped text, `<` only begins a mark, and `&` only an escape. The
 * first place may be within one of these, or within a character. It is too far from the mark to be shown.
 */
function placesOf(escaped: string, mark: number): number[] {
  const places: number[] = [];
  const end = Math.min(escaped.length, mark + AROUND);
  let at = Math.max(0, mark - AROUND);
  while (at < end) {
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
