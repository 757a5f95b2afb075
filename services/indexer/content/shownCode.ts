import { MAX_MARKUP_LENGTH } from './prepareText.js';
import { walkTokens, type Place } from './syntax/messageToken.js';
import { parseMessage } from './syntax/parseMessage.js';

/**
 * Where readers see code in a content. A content longer than MAX_MARKUP_LENGTH is shown as plain text, so it holds none.
 */
export function shownCode(content: string): Place[] {
  const places: Place[] = [];
  if (content.length > MAX_MARKUP_LENGTH || !content.includes('`')) return places;
  walkTokens(parseMessage(content), (token) => {
    if (token.type === 'code' || token.type === 'codespan') places.push(token);
  });
  return places;
}
