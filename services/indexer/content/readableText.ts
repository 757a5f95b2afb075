import { escapeMarkdown } from './escapeMarkdown.js';
import { MAX_MARKUP_LENGTH } from './prepareText.js';
import { isKnown, resolveReferences, type RenderContext } from './resolveReferences.js';
import {
  walkTokens,
  type EmojiToken,
  type MentionToken,
  type TimestampToken,
} from './syntax/messageToken.js';
import { parseMessage } from './syntax/parseMessage.js';

/**
 * A content as a reader sees it: names for mentions, roles and channels, `:name:` for custom emoji, readable times. The
 * rest of the markdown, and everything in code, stays as it was written. So does a content longer than
 * MAX_MARKUP_LENGTH, which is shown as plain text.
 */
export function readableText(content: string, context: RenderContext): string {
  return replaceTokens(content, (token) => {
    if (token.type === 'mention') return shownMention(token, context);
    if (token.type === 'emoji') return `:${token.name}:`;
    return token.text;
  });
}

/**
 * A text with names in place of mentions whose names are known. All else stays as it was written, for programs that
 * render it: emoji and times, and mentions of others, whom they may know by their ids. These programs read markdown, so
 * the names are escaped. A name such as `[rules](https://example.com)` must not become a link.
 */
export function nameMentions(text: string, context: RenderContext): string {
  return replaceTokens(text, (token) => {
    if (token.type !== 'mention' || !isKnown(token, context)) return undefined;
    return escapeMarkdown(shownMention(token, context));
  });
}

function shownMention(token: MentionToken, context: RenderContext): string {
  resolveReferences([token], context);
  return token.shown!;
}

/** A token that readers see as something else than what was written. */
type Shown = MentionToken | EmojiToken | TimestampToken;

/**
 * Replaces each mention, emoji and time outside code with what `replace` gives for it. Where that is undefined, the
 * text stays.
 */
function replaceTokens(text: string, replace: (token: Shown) => string | undefined): string {
  if (!text.includes('<') || text.length > MAX_MARKUP_LENGTH) return text;
  let replaced = '';
  let done = 0;
  walkTokens(parseMessage(text), (token) => {
    if (token.type !== 'mention' && token.type !== 'emoji' && token.type !== 'timestamp') return;
    const { from, to } = token;
    replaced += text.slice(done, from) + (replace(token) ?? text.slice(from, to));
    done = to;
  });
  return replaced + text.slice(done);
}
