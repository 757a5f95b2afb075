/**
 * Which documents a question finds, and in which line of the table of scores, told from the rules in docs/search.md by
 * reading every text. Its words are single words of letters, and those of their endings that `stemOf` knows.
 */

/** A thread's texts. */
export interface PlainThread {
  id: string;
  title: string;
  messages: { id: string; content: string }[];
}

/** A question's term: a word, or the words of a phrase. */
export type PlainTerm = readonly string[];

/** The least score of a line, and what its scores stay below (at most 1). */
export type Line = readonly [from: number, below: number];

const LINES = {
  wholeTitle: [1, 1.01],
  titlePhrase: [0.9, 1],
  titleWritten: [0.84, 0.9],
  phrase: [0.8, 0.84],
  nearWritten: [0.76, 0.8],
  title: [0.73, 0.76],
  near: [0.7, 0.73],
  written: [0.62, 0.7],
  message: [0.56, 0.62],
  stretch: [0.5, 0.56],
} as const satisfies Record<string, Line>;

const STRETCH = 500;

/** What a question finds: the line of each result, by `t` or `m` and its id. */
export function findNaively(
  terms: readonly PlainTerm[],
  threads: readonly PlainThread[],
): Map<string, Line> {
  const found = new Map<string, Line>();
  const note = (key: string, line: Line | undefined): void => {
    if (line) found.set(key, line);
  };
  for (const thread of threads) {
    note(`t${thread.id}`, lineOfThread(terms, thread));
    for (const { id, content } of thread.messages) {
      note(`m${id}`, lineOfMessage(terms, wordsOf(content), wordsOf(thread.title)));
    }
  }
  return found;
}

function lineOfThread(terms: readonly PlainTerm[], thread: PlainThread): Line | undefined {
  const title = wordsOf(thread.title);
  const words = terms.flat();
  const isQuoted = terms.some((term) => term.length > 1);
  const isTitle = words.join(' ') === title.join(' ') && (!isQuoted || terms.length === 1);
  if (isTitle) return LINES.wholeTitle;
  if (words.length > 1 && spansOf(words, title, same).length > 0) return LINES.titlePhrase;
  if (terms.every((term) => spansOf(term, title, same).length > 0)) return LINES.titleWritten;
  if (terms.every((term) => holds(term, title))) return LINES.title;
  const inOne = stretchesOf(thread).some((texts) =>
    terms.every((term) => texts.some((text) => holds(term, text))),
  );
  return inOne ? LINES.stretch : undefined;
}

function lineOfMessage(
  terms: readonly PlainTerm[],
  content: readonly string[],
  title: readonly string[],
): Line | undefined {
  if (!terms.some((term) => holds(term, content))) return undefined;
  if (!terms.every((term) => holds(term, content) || holds(term, title))) return undefined;
  const words = terms.flat();
  if (words.length > 1 && spansOf(words, content, same).length > 0) return LINES.phrase;
  const isWritten = terms.every((term) =>
    [content, title].some((text) => spansOf(term, text, same).length > 0),
  );
  if (terms.length > 1 && areNear(terms, content))
    return isWritten ? LINES.nearWritten : LINES.near;
  return isWritten ? LINES.written : LINES.message;
}

/** Each stretch ends with the message that brings it to its length, and the next one begins with that message again. */
function stretchesOf({ title, messages }: PlainThread): string[][][] {
  const stretches: string[][] = [];
  let first = 0;
  for (let last = 0; last < messages.length; last += 1) {
    const texts = messages.slice(first, last + 1).map(({ content }) => content);
    const isLast = last === messages.length - 1;
    if (texts.join('').length < STRETCH && !isLast) continue;
    stretches.push(texts);
    first = last;
  }
  return stretches.map((texts) => [title, ...texts].map(wordsOf));
}

/**
 * Whether each term has a place in the text, so that few other words stand between the first and the last. Two forms of one
 * word need two places.
 */
function areNear(terms: readonly PlainTerm[], text: readonly string[]): boolean {
  const most = terms.flat().length;
  const choose = (left: readonly PlainTerm[], chosen: readonly Span[]): boolean => {
    const [term, ...others] = left;
    if (term) {
      const spans = spansOf(term, text, term.length > 1 ? same : alike);
      const isFree = ([from, to]: Span) => !chosen.some((one) => one[0] === from && one[1] === to);
      return spans.some((span) => isFree(span) && choose(others, [...chosen, span]));
    }
    const from = Math.min(...chosen.map(([begin]) => begin));
    const to = Math.max(...chosen.map(([, end]) => end));
    return to - from - most <= most;
  };
  return choose(terms, []);
}

type Span = readonly [from: number, to: number];
type Compare = (one: string, other: string) => boolean;

const same: Compare = (one, other) => one === other;
const alike: Compare = (one, other) => stemOf(one) === stemOf(other);

/** The words of a phrase are meant as written, a single word in any form. */
function holds(term: PlainTerm, text: readonly string[]): boolean {
  return spansOf(term, text, term.length > 1 ? same : alike).length > 0;
}

function spansOf(words: readonly string[], text: readonly string[], compare: Compare): Span[] {
  return text.flatMap((_, from): Span[] => {
    const isThere = words.every((word, n) => compare(word, text[from + n] ?? ''));
    return isThere ? [[from, from + words.length]] : [];
  });
}

function stemOf(word: string): string {
  return word.replace(/(?:s|ed|ing)$/, '');
}

function wordsOf(text: string): string[] {
  return text.split(' ');
}
