import { MAX_MARKUP_LENGTH } from './prepareText.js';
import { resolveReferences, type RenderContext } from './resolveReferences.js';
import { findCodeSpans } from './syntax/findCodeSpans.js';
import { matchAngles } from './syntax/matchAngles.js';
import type { MessageToken, Scan } from './syntax/messageToken.js';

/** Where a piece of code, a mention, an emoji or a time may begin. What a backslash escapes is taken with it. */
const BEGINNING = /\\.|[`<]/gs;

/**
 * A content as a reader sees it: names for mentions, roles and channels, `:name:` for custom emoji, readable times. The
 * rest of the markdown, and everything in code, stays as it was written. So does a content longer than
 * MAX_MARKUP_LENGTH, which is shown as plain text.
 */
export function readableText(content: string, context: RenderContext): string {
  if (!content.includes('<') || content.length > MAX_MARKUP_LENGTH) return content;
  const scan = scanOf(content);
  const beginnings = new RegExp(BEGINNING);
  let shown = '';
  let done = 0;
  for (let found = beginnings.exec(content); found; found = beginnings.exec(content)) {
    const code = scan.code.get(found.index);
    const named = code ? undefined : nameAt(scan, found.index, context);
    if (named) {
      shown += content.slice(done, found.index) + named.text;
      done = named.end;
    }
    beginnings.lastIndex = code?.end ?? named?.end ?? beginnings.lastIndex;
  }
  return shown + content.slice(done);
}

/** What stands in place of a mention, emoji or time that begins here. */
function nameAt(
  scan: Scan,
  at: number,
  context: RenderContext,
): { text: string; end: number } | undefined {
  const { text } = scan;
  if (text[at] !== '<') return undefined;
  const found = matchAngles(scan, at);
  const token = found?.tokens[0];
  if (!found || !token) return undefined;
  resolveReferences([token], context);
  return { text: textOf(token) ?? text.slice(at, found.end), end: found.end };
}

function textOf(token: MessageToken): string | undefined {
  if (token.type === 'mention') return token.shown;
  if (token.type === 'emoji') return `:${token.name}:`;
  return token.type === 'timestamp' ? token.text : undefined;
}

function scanOf(text: string): Scan {
  const nesting = { depth: 0, inLink: false, inQuote: false, inList: false, lineStart: true };
  return { text, code: findCodeSpans(text), nesting, nested: () => [], afford: () => true };
}
