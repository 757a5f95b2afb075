/** A closed piece of code: `end` is the offset after it; `lang` is undefined for inline code. */
export interface CodeSpan {
  end: number;
  text: string;
  lang: string | undefined;
}

/** An escape, or the beginning of a run of backticks: all of one or two, or the first three of more. */
const ESCAPE_OR_RUN = /\\[^0-9A-Za-z\s]|`{1,3}/g;
const REST_OF_RUN = /`*/y;
const FENCE_HEAD = /```([a-z0-9_+\-.#]+)\n/iy;

/** Finds all closed inline code and fences of a text, by offset, in one pass from left to right that begins at `from`. */
export function findCodeSpans(text: string, from = 0): Map<number, CodeSpan> {
  const spans = new Map<number, CodeSpan>();
  if (!text.includes('`', from)) return spans;
  const findCloser = createCloserFinder(text);
  const tokens = new RegExp(ESCAPE_OR_RUN);
  tokens.lastIndex = from;
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const { index } = found;
    const length = found[0].length;
    if (found[0].startsWith('\\')) continue;
    const span =
      length >= 3 ? matchFence(text, index) : matchInline(text, index, length, findCloser);
    if (span) spans.set(index, span);
    tokens.lastIndex = span?.end ?? endOfRun(text, index);
  }
  return spans;
}

/** Whether code that begins between two offsets of a text ends behind them. */
export function cutsCode(spans: ReadonlyMap<number, CodeSpan>, from: number, to: number): boolean {
  if (spans.size === 0) return false;
  let at = from;
  while (at < to) at = spans.get(at)?.end ?? at + 1;
  return at > to;
}

function endOfRun(text: string, at: number): number {
  REST_OF_RUN.lastIndex = at;
  return at + REST_OF_RUN.exec(text)![0].length;
}

function matchFence(text: string, at: number): CodeSpan | undefined {
  FENCE_HEAD.lastIndex = at;
  const head = FENCE_HEAD.exec(text);
  const named = head ? fenceFrom(text, at + head[0].length, head[1]!) : undefined;
  return named ?? fenceFrom(text, at + 3, '');
}

function fenceFrom(text: string, from: number, lang: string): CodeSpan | undefined {
  let start = from;
  while (text[start] === '\n') start++;
  const close = text.indexOf('```', start + 1);
  if (close === -1) return undefined;
  let end = close;
  while (end > start && text[end - 1] === '\n') end--;
  return { end: close + 3, text: text.slice(start, end), lang };
}

function matchInline(
  text: string,
  at: number,
  length: number,
  findCloser: (length: number, from: number) => number | undefined,
): CodeSpan | undefined {
  const close = findCloser(length, at + length);
  if (close === undefined) return undefined;
  // A space next to a backtick keeps it apart from the marker, so it is no part of the code.
  const code = text
    .slice(at + length, close)
    .replace(/^ (?=`)/, '')
    .replace(/(?<=`) $/, '');
  return { end: close + length, text: code, lang: undefined };
}

/**
 * Makes a function that gives the start of the next run of exactly `length` backticks. From call to call, `from` may
 * only rise.
 */
function createCloserFinder(text: string): (length: number, from: number) => number | undefined {
  const runs = new Map<number, number[]>();
  for (const { index, 0: run } of text.matchAll(/`+/g)) {
    const starts = runs.get(run.length);
    if (starts) starts.push(index);
    else runs.set(run.length, [index]);
  }
  for (const starts of runs.values()) starts.reverse();
  return (length, from) => {
    const starts = runs.get(length) ?? [];
    while (starts.length > 0 && starts.at(-1)! < from) starts.pop();
    return starts.at(-1);
  };
}
