import type { MessageToken, Place, Rule, Scan } from './messageToken.js';

const BULLET = /( *)(?:[-*]|(\d{1,9})\.) +(?=\S)/y;
const INDENT = / */y;

interface Bullet {
  indent: number;
  ordered: boolean;
  number: number;
  content: number;
}

/**
 * Matches a list: bullets at one indent, each with the lines indented by two spaces or more below it. Lists inside are
 * found by parsing an item's text, so nesting needs no code of its own.
 */
export const matchList: Rule = (scan, at) => {
  const first = bulletAt(scan.text, at);
  if (!first) return undefined;
  const tokens: MessageToken[] = [];
  let end = at;
  let bullet: Bullet | undefined = first;
  while (bullet) {
    const item = takeItem(scan, bullet);
    tokens.push({
      type: 'list_item',
      tokens: scan.nested(item.lines, { lineStart: true, inList: true }),
    });
    end = item.end;
    scan.passed(bullet.content, end);
    bullet = followingBullet(scan.text, end, first);
    if (bullet) end = bullet.content;
  }
  const { ordered, number } = first;
  return { tokens: [{ type: 'list', ordered, start: number, tokens }], end };
};

function bulletAt(text: string, at: number): Bullet | undefined {
  BULLET.lastIndex = at;
  const found = BULLET.exec(text);
  if (!found) return undefined;
  return {
    indent: found[1]!.length,
    ordered: found[2] !== undefined,
    number: Number(found[2] ?? 0),
    content: at + found[0].length,
  };
}

function followingBullet(text: string, end: number, first: Bullet): Bullet | undefined {
  const bullet = bulletAt(text, skipBlankLines(text, end));
  return bullet?.ordered === first.ordered && bullet.indent < first.indent + 2 ? bullet : undefined;
}

function takeItem(scan: Scan, bullet: Bullet): { lines: Place[]; end: number } {
  const { text } = scan;
  const margin = bullet.indent + 2;
  let end = lineEnd(scan, bullet.content);
  const lines = [{ from: bullet.content, to: end }];
  for (;;) {
    const next = skipBlankLines(text, Math.min(end + 1, text.length));
    if (next >= text.length || indentAt(text, next) < margin) break;
    if (next > end + 1) lines.push({ from: end, to: end });
    end = lineEnd(scan, next);
    lines.push({ from: next + margin, to: end });
  }
  return { lines, end: Math.min(end + 1, text.length) };
}

/** Where a line ends. A fence that opens on it is a part of it. So the list cuts no indentation from the lines of code. */
function lineEnd(scan: Scan, from: number): number {
  const { text, code } = scan;
  let end = newlineFrom(text, from);
  let fence = text.indexOf('```', from);
  while (fence !== -1 && fence < end) {
    const span = code.get(fence);
    if (span && span.end > end) end = newlineFrom(text, span.end);
    fence = text.indexOf('```', span?.end ?? fence + 3);
  }
  return end;
}

function newlineFrom(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 ? text.length : newline;
}

function skipBlankLines(text: string, from: number): number {
  let at = from;
  for (;;) {
    const end = at + indentAt(text, at);
    if (text[end] !== '\n') return at;
    at = end + 1;
  }
}

function indentAt(text: string, at: number): number {
  INDENT.lastIndex = at;
  return INDENT.exec(text)![0].length;
}
