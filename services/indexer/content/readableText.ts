import { MAX_MARKUP_LENGTH } from './prepareText.js';
import { isKnown, resolveReferences, type RenderContext } from './resolveReferences.js';
import { findCodeSpans } from './syntax/findCodeSpans.js';
import { matchAngles } from './syntax/matchAngles.js';
import type { MentionToken, MessageToken, Scan } from './syntax/messageToken.js';

/** Where a piece of code, a mention, an emoji or a time may begin. What a backslash escapes is taken with it. */
const BEGINNING = /\\.|[`<]/gs;

/**
 * A content as a reader sees it: names for mentions, roles and channels, `:name:` for custom emoji, readable times. The
 * rest of the markdown, and everything in code, stays as it was written. So does a content longer than
 * MAX_MARKUP_LENGTH, which is shown as plain text.
 */
export function readableText(content: string, context: RenderContext): string {
  return replaceTokens(content, (token) => {
    if (token.type === 'mention') return shownMention(token, context);
    if (token.type === 'emoji') return `:${token.name}:`;
    return token.type === 'timestamp' ? token.text : undefined;
  });
}

/**
 * A text with names in place of mentions whose names are known. All else stays as it was written, for programs that
 * render it: emoji and times, and mentions of others, whom they may know by their ids.
 */
export function nameMentions(text: string, context: RenderContext): string {
  return replaceTokens(text, (token) =>
    token.type === 'mention' && isKnown(token, context) ? shownMention(token, context) : undefined,
  );
}

function shownMention(token: MentionToken, context: RenderContext): string | undefined {
  resolveReferences([token], context);
  return token.shown;
}

/** Puts what a function gives in place of each mention, emoji and time outside code; undefined leaves it. */
function replaceTokens(text: string, replace: (token: MessageToken) => string | undefined): string {
  if (!text.includes('<') || text.length > MAX_MARKUP_LENGTH) return text;
  const scan = scanOf(text);
  const beginnings = new RegExp(BEGINNING);
  let replaced = '';
  let done = 0;
  for (let found = beginnings.exec(text); found; found = beginnings.exec(text)) {
    const { index } = found;
    const code = scan.code.get(index);
    const match = code ? null : matchAt(scan, index);
    if (match) {
      replaced += text.slice(done, index) + (replace(match.token) ?? text.slice(index, match.end));
      done = match.end;
    }
    beginnings.lastIndex = code?.end ?? match?.end ?? beginnings.lastIndex;
  }
  return replaced + text.slice(done);
}

/** A mention, emoji or time that begins here. */
function matchAt(scan: Scan, at: number): { token: MessageToken; end: number } | null {
  const { text } = scan;
  if (text[at] !== '<') return null;
  const found = matchAngles(scan, at);
  const token = found?.tokens[0];
  return found && token ? { token, end: found.end } : null;
}

function scanOf(text: string): Scan {
  const nesting = { depth: 0, inLink: false, inQuote: false, inList: false, lineStart: true };
  return { text, code: findCodeSpans(text), nesting, nested: () => [], afford: () => true };
}
