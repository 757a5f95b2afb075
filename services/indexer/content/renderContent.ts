import type { Token } from 'marked';
import { discordMarkdown } from './discordMarkdown.js';
import { MAX_MARKUP_LENGTH, prepareText } from './prepareText.js';
import { isPlain, renderPlain } from './renderPlain.js';
import { resolveReferences, type RenderContext } from './resolveReferences.js';
import { sanitizeMarkup } from './sanitizeMarkup.js';
import type { MessageToken } from './syntax/messageToken.js';

export type { RenderContext } from './resolveReferences.js';

/**
 * The version of what the indexer builds from records. Raise it whenever the indexer builds something else from the same
 * records: other HTML, previews, counts or orders, or another form of a body, a row or a search document. Each stored
 * body holds the version that built it. So after an update, the indexer's log and `forum-archive status` ask for
 * `reindex --views`, and verification reports the bodies of another version.
 */
export const RENDERER_VERSION = 13;

/**
 * A message's content in Discord's markdown as sanitised, well-formed HTML. Content longer than MAX_MARKUP_LENGTH is
 * shown as plain text. Never throws; time is bounded by the length.
 */
export function renderContent(content: string, context: RenderContext): string {
  const text = prepareText(content);
  return text.length > MAX_MARKUP_LENGTH || isPlain(text)
    ? renderPlain(text)
    : renderMarkup(text, context);
}

/** Renders text of any kind through the parser: what renderContent gives, without its short cut for plain text. */
export function renderMarkup(text: string, context: RenderContext): string {
  const tokens: Token[] = discordMarkdown.lexer(text);
  resolveReferences(tokens as unknown as MessageToken[], context);
  return sanitizeMarkup(discordMarkdown.parser(tokens));
}
