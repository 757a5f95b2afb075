import { matchCode } from './matchCode.js';
import { matchList } from './matchList.js';
import { groupParagraphs } from './groupParagraphs.js';
import type { Match, Place, Rule, Scan } from './messageToken.js';

const HEADING = / *(#{1,3})[ \t]+(?=\S)/y;
const SUBTEXT = / *-#[ \t]+(?=\S)/y;
// One space belongs to the mark. Those behind it indent what is quoted: code, or a list inside a list.
const QUOTE_REST = / *>>> /y;
const QUOTE_LINE = / *> ([^\n]*)(?:\n|$)/y;
const QUOTE_MORE = / *>(?: ([^\n]*))?(?:\n|$)/y;

/** Matches what stands at the start of a line, however far that is indented: headings, subtext, quotes, lists and fences. */
export const matchBlocks: Rule = (scan, at) => {
  const { text } = scan;
  let first = at;
  while (text[first] === ' ') first++;
  switch (text[first]) {
    case '#':
      return matchHeading(scan, at);
    case '>':
      return scan.nesting.inQuote ? undefined : matchQuote(scan, at);
    case '-':
      return matchSubtext(scan, at) ?? matchList(scan, at);
    case '`':
      return scan.code.get(first)?.lang === undefined ? undefined : matchCode(scan, first);
    case undefined:
      return undefined;
    default:
      return matchList(scan, at);
  }
};

function matchHeading(scan: Scan, at: number): Match | undefined {
  const found = execAt(HEADING, scan.text, at);
  if (!found) return undefined;
  const from = at + found[0].length;
  const { line, end } = restOfLine(scan.text, from);
  const tokens = scan.nested({ from, to: from + withoutClosingMarks(line).length });
  return { tokens: [{ type: 'heading', depth: found[1]!.length, tokens }], end };
}

function matchSubtext(scan: Scan, at: number): Match | undefined {
  const found = execAt(SUBTEXT, scan.text, at);
  if (!found) return undefined;
  const from = at + found[0].length;
  const { line, end } = restOfLine(scan.text, from);
  const tokens = scan.nested({ from, to: from + line.length });
  return { tokens: [{ type: 'subtext', tokens }], end };
}

function matchQuote(scan: Scan, at: number): Match | undefined {
  const rest = execAt(QUOTE_REST, scan.text, at);
  const whole = scan.text.length;
  if (rest) return quote(scan, [{ from: at + rest[0].length, to: whole }], whole);
  const lines: Place[] = [];
  let end = at;
  let found = execAt(QUOTE_LINE, scan.text, at);
  while (found) {
    end += found[0].length;
    const to = found[0].endsWith('\n') ? end - 1 : end;
    lines.push({ from: to - (found[1] ?? '').length, to });
    found = execAt(QUOTE_MORE, scan.text, end);
  }
  return lines.length > 0 ? quote(scan, lines, end) : undefined;
}

function quote(scan: Scan, lines: readonly Place[], end: number): Match {
  const tokens = groupParagraphs(scan.nested(lines, { inQuote: true, lineStart: true }));
  return { tokens: [{ type: 'blockquote', tokens }], end };
}

function restOfLine(text: string, from: number): { line: string; end: number } {
  const newline = text.indexOf('\n', from);
  const end = newline === -1 ? text.length : newline;
  return { line: text.slice(from, end), end: Math.min(end + 1, text.length) };
}

function withoutClosingMarks(line: string): string {
  const trimmed = line.trimEnd();
  let end = trimmed.length;
  while (trimmed[end - 1] === '#') end--;
  return end > 0 && end < trimmed.length && /[ \t]/.test(trimmed[end - 1]!)
    ? trimmed.slice(0, end).trimEnd()
    : trimmed;
}

function execAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
