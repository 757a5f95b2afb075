import { firstCharacters } from '../../../shared/store/previews.js';
import { resolveReferences, type RenderContext } from './resolveReferences.js';
import { findCodeSpans } from './syntax/findCodeSpans.js';
import { matchAngles } from './syntax/matchAngles.js';
import type { MessageToken, Scan } from './syntax/messageToken.js';

/** Enough for 200 characters, whatever they are. */
const MOST_SHOWN = 400;
/** Characters of a content that are looked at: what it takes to show 200, unless nearly all of it are long mentions. */
const MOST_READ = 8_000;

/**
 * The first 200 characters (code points) of a content as a reader sees them: names for mentions, roles and channels,
 * `:name:` for custom emoji, readable times. The rest of the markdown, and everything in code, stays as it was written.
 */
export function previewText(content: string, context: RenderContext): string {
  const read = content.slice(0, MOST_READ);
  const shown = read.includes('<') ? withNames(read, context) : read;
  return firstCharacters(shown);
}

function withNames(text: string, context: RenderContext): string {
  const scan = scanOf(text);
  let shown = '';
  for (let at = 0; at < text.length && shown.length < MOST_SHOWN;) {
    const code = scan.code.get(at);
    const named = code ? undefined : nameAt(scan, at, context);
    // What a backslash escapes is taken with it.
    const end = code?.end ?? named?.end ?? at + (text[at] === '\\' ? 2 : 1);
    shown += named?.text ?? text.slice(at, end);
    at = end;
  }
  return shown;
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
