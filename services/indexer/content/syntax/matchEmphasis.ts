import type { Match, Rule, Scan } from './messageToken.js';

const WORD = /[\p{L}\p{N}_]/u;
const SPACE = /\s/;

interface Run {
  start: number;
  end: number;
}

interface Inner {
  type: 'strong' | 'em' | 'del' | 'underline' | 'spoiler';
  from: number;
  to: number;
  end: number;
}

/** Matches `**strong**` or `*emphasis*`, whichever reaches further. */
export const matchStars: Rule = (scan, at) =>
  build(scan, further(starEmphasis(scan, at), doubled(scan, at, '*', 'strong')));

/** Matches `__underline__` or `_emphasis_`, whichever reaches further. */
export const matchUnderscores: Rule = (scan, at) =>
  build(scan, further(underscoreEmphasis(scan, at), doubled(scan, at, '_', 'underline')));

/** Matches `~~strikethrough~~`. */
export const matchTildes: Rule = (scan, at) => build(scan, strikethrough(scan, at));

/** Matches `||spoiler||`. */
export const matchBars: Rule = (scan, at) => build(scan, spoiler(scan, at));

function build(scan: Scan, inner: Inner | undefined): Match | undefined {
  if (!inner) return undefined;
  const tokens = scan.nested(inner);
  return { tokens: [{ type: inner.type, tokens }], end: inner.end };
}

function further(first: Inner | undefined, second: Inner | undefined): Inner | undefined {
  return first && second && second.end > first.end ? second : (first ?? second);
}

function starEmphasis(scan: Scan, at: number): Inner | undefined {
  const { text } = scan;
  const run = text[at + 1] && !SPACE.test(text[at + 1]!) ? oddRun(scan, at + 1, '*') : undefined;
  if (!run) return undefined;
  if (run.end - run.start === 1 && SPACE.test(text[run.start - 1]!)) return undefined;
  return emphasis(scan, at, run);
}

function underscoreEmphasis(scan: Scan, at: number): Inner | undefined {
  const before = codePointBefore(scan.text, at);
  const run = WORD.test(before) ? undefined : oddRun(scan, at + 1, '_');
  if (!run || WORD.test(codePointAt(scan.text, run.end))) return undefined;
  return emphasis(scan, at, run);
}

function emphasis(scan: Scan, at: number, run: Run): Inner | undefined {
  return whole(scan, { type: 'em', from: at + 1, to: run.end - 1, end: run.end });
}

/** The closer is the end of a run of two or more markers, so that `***` closes both kinds. */
function doubled(
  scan: Scan,
  at: number,
  marker: string,
  type: 'strong' | 'underline',
): Inner | undefined {
  if (scan.text[at + 1] !== marker) return undefined;
  let run = nextRun(scan, at + 2, marker);
  while (run && (run.end - run.start < 2 || run.end < at + 5)) {
    run = nextRun(scan, run.end, marker);
  }
  return run && whole(scan, { type, from: at + 2, to: run.end - 2, end: run.end });
}

/** The closer is the first pair of tildes after some text. */
function strikethrough(scan: Scan, at: number): Inner | undefined {
  if (scan.text[at + 1] !== '~') return undefined;
  let run = nextRun(scan, at + 2, '~');
  while (run && (run.end - run.start < 2 || run.start === at + 2)) {
    run = nextRun(scan, run.end, '~');
  }
  return run && { type: 'del', from: at + 2, to: run.start, end: run.start + 2 };
}

/**
 * The closer is the first pair of bars after one character, also in code and behind a backslash. So it is in the
 * platform's client. With any other closer, text that the client hides could be shown.
 */
function spoiler({ text }: Scan, at: number): Inner | undefined {
  if (text[at + 1] !== '|') return undefined;
  const to = text.indexOf('||', at + 3);
  return to === -1 ? undefined : { type: 'spoiler', from: at + 2, to, end: to + 2 };
}

/** Refuses emphasis around nothing but markers, so that a row of stars stays a row of stars. */
function whole(scan: Scan, inner: Inner): Inner | undefined {
  const { text } = scan;
  const marker = text[inner.end - 1]!;
  let at = inner.from;
  while (at < inner.to && text[at] === marker) at++;
  return scan.afford(at - inner.from) && at < inner.to ? inner : undefined;
}

/**
 * The next run with an odd number of markers. Pairs of markers belong to what is inside, so one is left over to close
 * the emphasis.
 */
function oddRun(scan: Scan, from: number, marker: string): Run | undefined {
  let run = nextRun(scan, from, marker);
  while (run && (run.end - run.start) % 2 === 0) run = nextRun(scan, run.end, marker);
  return run;
}

/** The next run of a marker outside code and escapes. */
function nextRun(scan: Scan, from: number, marker: string): Run | undefined {
  if (!scan.afford(0)) return undefined;
  const { text, code } = scan;
  let at = from;
  while (at < text.length && text[at] !== marker) {
    if (text[at] === '\\') at += 2;
    else if (text[at] === '`') at = code.get(at)?.end ?? at + 1;
    else at++;
  }
  let end = at;
  while (text[end] === marker) end++;
  return scan.afford(end - from) && end > at ? { start: at, end } : undefined;
}

function codePointBefore(text: string, at: number): string {
  return /[\uDC00-\uDFFF]/.test(text[at - 1] ?? '') ? text.slice(at - 2, at) : (text[at - 1] ?? '');
}

function codePointAt(text: string, at: number): string {
  return at < text.length ? String.fromCodePoint(text.codePointAt(at)!) : '';
}
