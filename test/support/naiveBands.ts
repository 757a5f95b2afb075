/**
 * Finds out which documents a question matches, and in which line of the table of scores, by the rules in
 * docs/search.md. It reads every text. Questions consist of single words of letters, and texts of these and of the
 * endings that `stemOf` knows.
 */

/** The texts of a thread, and what filters ask for. */
export interface PlainThread {
  id: string;
  title: string;
  tags?: readonly string[];
  messages: { id: string; content: string }[];
}

/** A term of a question: a word, or the words of a phrase, which are meant as written. */
export interface PlainTerm {
  words: readonly string[];
  isPhrase: boolean;
}

/** A line of the table: its least score, and the score (at most 1) that all its scores stay below. */
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
  scattered: [0.4, 0.5],
  begun: [0.3, 0.4],
  mistyped: [0.1, 0.3],
} as const satisfies Record<string, Line>;

const STRETCH = 500;

/** The words of questions that tell nothing about a subject. */
export const FUNCTION_WORDS = ['the', 'with'] as const;

/** Whether a text, split into words, holds a term in some way. */
type Holds = (term: PlainTerm, text: readonly string[]) => boolean;

/**
 * The results of a question, each as `t` or `m` with its id, and its line. Weak matches are found only where `archive`
 * is given: it holds all threads of the index, whatever the filters leave.
 */
export function findNaively(
  terms: readonly PlainTerm[],
  threads: readonly PlainThread[],
  archive?: readonly PlainThread[],
): Map<string, Line> {
  const found = new Map<string, Line>();
  const note = (key: string, line: Line | undefined): void => {
    if (line) found.set(key, line);
  };
  const weak = archive && weakWays(terms, archive);
  for (const thread of threads) {
    note(`t${thread.id}`, lineOfThread(terms, thread) ?? (weak && weakThread(terms, thread, weak)));
    for (const { id, content } of thread.messages) {
      const [said, title] = [wordsOf(content), wordsOf(thread.title)];
      const strong = lineOfMessage(terms, said, title);
      note(`m${id}`, strong ?? (weak && weakMessage(terms, said, title, weak)));
    }
  }
  return found;
}

function lineOfThread(terms: readonly PlainTerm[], thread: PlainThread): Line | undefined {
  const title = wordsOf(thread.title);
  const words = terms.flatMap((term) => term.words);
  const isQuoted = terms.some(({ isPhrase }) => isPhrase);
  const isTitle = words.join(' ') === title.join(' ') && (!isQuoted || terms.length === 1);
  if (isTitle) return LINES.wholeTitle;
  if (words.length > 1 && spansOf(words, title, same).length > 0) return LINES.titlePhrase;
  if (terms.every((term) => spansOf(term.words, title, same).length > 0)) return LINES.titleWritten;
  if (terms.every((term) => holds(term, title))) return LINES.title;
  return isInOneStretch(terms, thread, () => holds) ? LINES.stretch : undefined;
}

function lineOfMessage(
  terms: readonly PlainTerm[],
  content: readonly string[],
  title: readonly string[],
): Line | undefined {
  if (!isInMessage(terms, content, title, () => holds)) return undefined;
  const telling = terms.some(isTelling) ? terms.filter(isTelling) : terms;
  if (!telling.some((term) => holds(term, content))) return LINES.stretch;
  const words = terms.flatMap((term) => term.words);
  if (words.length > 1 && spansOf(words, content, same).length > 0) return LINES.phrase;
  const isWritten = terms.every((term) =>
    [content, title].some((text) => spansOf(term.words, text, same).length > 0),
  );
  if (terms.length > 1 && areNear(terms, content))
    return isWritten ? LINES.nearWritten : LINES.near;
  return isWritten ? LINES.written : LINES.message;
}

/** How each term is matched, by its place: with the last one as a beginning, and with typos forgiven as well. */
interface WeakWays {
  begun: (index: number) => Holds;
  mistyped: (index: number) => Holds;
}

function weakWays(terms: readonly PlainTerm[], archive: readonly PlainThread[]): WeakWays {
  const alike = likeWords(terms, archive);
  const isLast = (index: number): boolean => index === terms.length - 1;
  const begins: Holds = (term, text) => holds(term, text) || startsOne(term, text);
  const forgives: Holds = (term, text) =>
    [term, ...(alike.get(term) ?? [])].some((one) => holds(one, text));
  return {
    begun: (index) => (isLast(index) ? begins : holds),
    mistyped: (index) => (term, text) =>
      forgives(term, text) || (isLast(index) && startsOne(term, text)),
  };
}

function weakThread(
  terms: readonly PlainTerm[],
  thread: PlainThread,
  ways: WeakWays,
): Line | undefined {
  const all = stretchesOf(thread).flat();
  if (terms.every((term) => all.some((text) => holds(term, text)))) return LINES.scattered;
  if (isInOneStretch(terms, thread, ways.begun)) return LINES.begun;
  return isInOneStretch(terms, thread, ways.mistyped) ? LINES.mistyped : undefined;
}

function weakMessage(
  terms: readonly PlainTerm[],
  content: readonly string[],
  title: readonly string[],
  ways: WeakWays,
): Line | undefined {
  if (isInMessage(terms, content, title, ways.begun)) return LINES.begun;
  return isInMessage(terms, content, title, ways.mistyped) ? LINES.mistyped : undefined;
}

function isInOneStretch(
  terms: readonly PlainTerm[],
  thread: PlainThread,
  wayOf: (index: number) => Holds,
): boolean {
  return stretchesOf(thread).some((texts) =>
    terms.every((term, index) => texts.some((text) => wayOf(index)(term, text))),
  );
}

function isInMessage(
  terms: readonly PlainTerm[],
  content: readonly string[],
  title: readonly string[],
  wayOf: (index: number) => Holds,
): boolean {
  const isIn = (text: readonly string[]) => (term: PlainTerm, index: number) =>
    wayOf(index)(term, text);
  const isAnywhere = (term: PlainTerm, index: number): boolean =>
    isIn(content)(term, index) || isIn(title)(term, index);
  return terms.some(isIn(content)) && terms.every(isAnywhere);
}

function isTelling({ words: [word = ''], isPhrase }: PlainTerm): boolean {
  return isPhrase || !FUNCTION_WORDS.some((other) => other === word);
}

/** Whether the word is the beginning of another word. */
function startsOne({ words, isPhrase }: PlainTerm, text: readonly string[]): boolean {
  const [begun = ''] = words;
  const mayBegin = !isPhrase && begun.length >= 2 && begun.length <= 20;
  return mayBegin && text.some((word) => word.startsWith(begun));
}

/**
 * For each of the three rarest words of a question, the words of the archive that it may be a typo of. Throws where
 * more than three are similar to one word, or where it may have two wrong letters: then Elasticsearch chooses.
 */
function likeWords(
  terms: readonly PlainTerm[],
  archive: readonly PlainThread[],
): Map<PlainTerm, PlainTerm[]> {
  const texts = archive.flatMap(({ title, messages }) =>
    [title, ...messages.map(({ content }) => content)].map((text) => new Set(wordsOf(text))),
  );
  const countOf = ({ words: [word = ''] }: PlainTerm): number =>
    texts.filter((text) => text.has(word)).length;
  const doubtful = terms
    .filter(({ words: [word = ''], isPhrase }) => !isPhrase && word.length >= 3)
    .filter((term) => countOf(term) <= Math.max(3, texts.length / 1_000))
    .toSorted((one, other) => countOf(one) - countOf(other))
    .slice(0, 3);
  const vocabulary = [...new Set(texts.flatMap((text) => [...text]))];
  return new Map(
    doubtful.map((term) => {
      const [word = ''] = term.words;
      const alike = vocabulary.filter((other) => other[0] === word[0] && areAlike(word, other));
      const isClear = alike.length <= 3 && word.length <= 5;
      if (!isClear) throw new Error(`What ${word} may be a typo of cannot be told`);
      return [term, alike.map((other) => ({ words: [other], isPhrase: false }))];
    }),
  );
}

/** Whether two words differ by one letter: a different one, one more, one less, or two swapped. */
function areAlike(one: string, other: string): boolean {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const [left, right] = [one.slice(at), other.slice(at)];
  const swapped = `${left[1] ?? ''}${left[0] ?? ''}${left.slice(2)}`;
  return (
    one !== other &&
    (left.slice(1) === right.slice(1) ||
      left.slice(1) === right ||
      left === right.slice(1) ||
      swapped === right)
  );
}

/**
 * Cuts a thread into stretches. Each ends with the message that brings it to its length, and the next begins with that
 * message.
 */
function stretchesOf({ title, tags = [], messages }: PlainThread): string[][][] {
  const stretches: string[][] = [];
  let first = 0;
  for (let last = 0; last < messages.length; last += 1) {
    const texts = messages.slice(first, last + 1).map(({ content }) => content);
    const isLast = last === messages.length - 1;
    if (texts.join('').length < STRETCH && !isLast) continue;
    stretches.push(texts);
    first = last;
  }
  return stretches.map((texts) => [title, ...tags, ...texts].map(wordsOf));
}

/**
 * Whether each term has a place in the text with few other words between the first and the last. Two forms of one word
 * need two places.
 */
function areNear(terms: readonly PlainTerm[], text: readonly string[]): boolean {
  const most = terms.flatMap(({ words }) => words).length;
  const choose = (left: readonly PlainTerm[], chosen: readonly Span[]): boolean => {
    const [term, ...others] = left;
    if (term) {
      const spans = spansOf(term.words, text, term.isPhrase ? same : alike);
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

/** A phrase is meant as written. A single word may have any form. */
const holds: Holds = ({ words, isPhrase }, text) =>
  spansOf(words, text, isPhrase ? same : alike).length > 0;

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
