import { MAX_MARKUP_LENGTH, prepareText } from './prepareText.js';
import { isPlain } from './renderPlain.js';
import { resolveReferences, type RenderContext } from './resolveReferences.js';
import { isBlock, type LinkToken, type MessageToken } from './syntax/messageToken.js';
import { parseMessage } from './syntax/parseMessage.js';

/**
 * A message's content as a reader would say it, for the search index and previews: names for
 * mentions, `:name:` for emoji, no markers outside code, links with their address. Content longer
 * than MAX_MARKUP_LENGTH stays as it is.
 */
export function plainText(content: string, context: RenderContext): string {
  const text = prepareText(content);
  if (text.length > MAX_MARKUP_LENGTH || isPlain(text)) return text.trim();
  const tokens = parseMessage(text);
  resolveReferences(tokens, context);
  return blocksText(tokens, '\n\n').trim();
}

function blocksText(tokens: readonly MessageToken[], between: string): string {
  return tokens.map(tokenText).join(between);
}

/** Inline text, with blocks inside it on lines of their own. */
function innerText(tokens: readonly MessageToken[]): string {
  let text = '';
  tokens.forEach((token, i) => {
    const apart = i > 0 && (isBlock(token) || isBlock(tokens[i - 1]));
    text += (apart ? '\n' : '') + tokenText(token);
  });
  return text;
}

function tokenText(token: MessageToken): string {
  switch (token.type) {
    case 'br':
      return '\n';
    case 'blank':
      return '\n\n';
    case 'text':
    case 'codespan':
    case 'code':
    case 'unicodeEmoji':
    case 'timestamp':
      return token.text;
    case 'emoji':
      return `:${token.name}:`;
    case 'mention':
      return token.shown ?? '';
    case 'link':
      return linkText(token);
    case 'list':
      return blocksText(token.tokens, '\n');
    case 'blockquote':
      return blocksText(token.tokens, '\n\n');
    case 'strong':
    case 'em':
    case 'del':
    case 'underline':
    case 'spoiler':
    case 'heading':
    case 'subtext':
    case 'paragraph':
    case 'list_item':
      return innerText(token.tokens);
  }
}

function linkText({ href, bare, tokens }: LinkToken): string {
  return bare ? href : `${innerText(tokens)} (${href})`;
}
