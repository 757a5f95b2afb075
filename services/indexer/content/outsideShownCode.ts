import { MAX_MARKUP_LENGTH } from './prepareText.js';
import { walkTokens } from './syntax/messageToken.js';
import { parseMessage } from './syntax/parseMessage.js';

/**
 * Changes the parts of a content that readers do not see as code. A content longer than MAX_MARKUP_LENGTH is shown as
 * plain text, so it holds no code.
 */
export function outsideShownCode(content: string, change: (piece: string) => string): string {
  if (content.length > MAX_MARKUP_LENGTH || !content.includes('`')) return change(content);
  let changed = '';
  let done = 0;
  walkTokens(parseMessage(content), (token) => {
    if (token.type !== 'code' && token.type !== 'codespan') return;
    changed += change(content.slice(done, token.from)) + content.slice(token.from, token.to);
    done = token.to;
  });
  return changed + change(content.slice(done));
}
