import { PART_BREAK } from '../partBreak.js';
import { cutsCode, findCodeSpans } from './findCodeSpans.js';
import { dropBreaksAroundBlocks, groupParagraphs } from './groupParagraphs.js';
import { markJumbo } from './markJumbo.js';
import { matchAngles } from './matchAngles.js';
import { matchBlocks } from './matchBlocks.js';
import { matchCode } from './matchCode.js';
import { matchBars, matchStars, matchTildes, matchUnderscores } from './matchEmphasis.js';
import { matchBareLink, matchMaskedLink } from './matchLinks.js';
import type { Match, MessageToken, Nesting, Place, Rule, Scan } from './messageToken.js';

/** How deep constructs may be nested. What is deeper is plain text. */
const MAX_DEPTH = 16;

/** The most characters that all searches for closing markers of one part of a message may look at together. */
const SCAN_BUDGET = 400_000;

const SPECIAL = /[\n\\`*_~|<[¯]|https?:\/\//gi;
const NEWLINES = /\n(?:[ \t]*\n)*/y;
const ESCAPE = /\\([^0-9A-Za-z\s])/uy;
const SHRUG = '¯\\_(ツ)_/¯';

/**
 * Parses a message in Discord's markdown into paragraphs and blocks. The time is bounded by the length: nesting is
 * limited, and all searches for closing markers in one part share a budget.
 */
export function parseMessage(content: string): MessageToken[] {
  const tokens: MessageToken[] = [];
  let from = 0;
  for (const part of content.split(PART_BREAK)) {
    if (from > 0) tokens.push({ type: 'blank' });
    tokens.push(...parsePart(part, from));
    from += part.length + PART_BREAK.length;
  }
  return groupParagraphs(markJumbo(dropBreaksAroundBlocks(tokens)));
}

/** Parses a part of a message; `from` is its offset. What searches cost in one part changes nothing in another. */
function parsePart(part: string, from: number): MessageToken[] {
  let budget = SCAN_BUDGET;
  const afford = (steps: number): boolean => (budget -= steps) >= 0;
  const nesting = { depth: 0, inLink: false, inQuote: false, inList: false, lineStart: true };
  return parseText(part, nesting, afford, (at) => from + at);
}

function parseText(
  text: string,
  nesting: Nesting,
  afford: (steps: number) => boolean,
  origin: (at: number) => number,
): MessageToken[] {
  let code = findCodeSpans(text);
  const scan: Scan = {
    text,
    nesting,
    get code() {
      return code;
    },
    passed: (start, end) => {
      if (cutsCode(code, start, end) && afford(text.length - end)) code = findCodeSpans(text, end);
    },
    afford,
    origin,
    nested: (given, change) => {
      const parts = [given].flat();
      const inner = parts.map(({ from, to }) => text.slice(from, to)).join('\n');
      if (nesting.depth >= MAX_DEPTH) return [{ type: 'text', text: inner }];
      const innerNesting = { ...nesting, lineStart: false, ...change, depth: nesting.depth + 1 };
      return parseText(inner, innerNesting, afford, (at) => origin(offsetIn(parts, at)));
    },
  };
  const tokens: MessageToken[] = [];
  let at = 0;
  while (at < text.length) {
    const match = matchAt(scan, at);
    for (const token of match.tokens) append(tokens, token);
    scan.passed(at, match.end);
    at = match.end;
  }
  return dropBreaksAroundBlocks(tokens);
}

/** Translates an offset in some parts of a text, joined as lines, into the offset in the text itself. */
function offsetIn(parts: readonly Place[], at: number): number {
  let rest = at;
  for (const { from, to } of parts) {
    if (rest <= to - from) return from + rest;
    rest -= to - from + 1;
  }
  throw new RangeError(`No part holds the offset ${at}`);
}

function matchAt(scan: Scan, at: number): Match {
  const lineStart = at === 0 ? scan.nesting.lineStart : scan.text[at - 1] === '\n';
  const block = lineStart ? matchBlocks(scan, at) : undefined;
  return block ?? INLINE[scan.text[at]!]?.(scan, at) ?? matchText(scan, at);
}

function matchText(scan: Scan, at: number): Match {
  SPECIAL.lastIndex = at + 1;
  const end = SPECIAL.exec(scan.text)?.index ?? scan.text.length;
  return { tokens: [{ type: 'text', text: scan.text.slice(at, end) }], end };
}

const matchNewlines: Rule = (scan, at) => {
  NEWLINES.lastIndex = at;
  const found = NEWLINES.exec(scan.text)![0];
  return { tokens: [{ type: found.length > 1 ? 'blank' : 'br' }], end: at + found.length };
};

const matchEscape: Rule = (scan, at) => {
  ESCAPE.lastIndex = at;
  const found = ESCAPE.exec(scan.text);
  return found
    ? { tokens: [{ type: 'text', text: found[1]! }], end: at + found[0].length }
    : undefined;
};

const matchShrug: Rule = (scan, at) =>
  scan.text.startsWith(SHRUG, at)
    ? { tokens: [{ type: 'text', text: SHRUG }], end: at + SHRUG.length }
    : undefined;

const INLINE: Record<string, Rule> = {
  '\n': matchNewlines,
  '\\': matchEscape,
  '`': matchCode,
  '*': matchStars,
  _: matchUnderscores,
  '~': matchTildes,
  '|': matchBars,
  '[': matchMaskedLink,
  '<': matchAngles,
  h: matchBareLink,
  H: matchBareLink,
  '¯': matchShrug,
};

function append(tokens: MessageToken[], token: MessageToken): void {
  const last = tokens.at(-1);
  if (token.type === 'text' && last?.type === 'text') last.text += token.text;
  else tokens.push(token);
}
