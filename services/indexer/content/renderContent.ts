import type { Token } from 'marked';
import { discordMarkdown } from './discordMarkdown.js';
import { MAX_MARKUP_LENGTH, prepareText } from './prepareText.js';
import { isPlain, renderPlain } from './renderPlain.js';
import { resolveReferences, type RenderContext } from './resolveReferences.js';
import { sanitizeMarkup } from './sanitizeMarkup.js';
import type { MessageToken } from './syntax/messageToken.js';

export type { RenderContext } from './resolveReferences.js';

/**
 * Raise it when the output changes for any input, of previews too, and when bodies get another shape. Stored bodies
 * carry it: verification finds those of another version, and `verify --repair` or `reindex --views` builds them again.
 */
export const RENDERER_VERSION = 7;

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
