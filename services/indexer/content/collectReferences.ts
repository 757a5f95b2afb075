import { parseDiscordLink } from './parseDiscordLink.js';
import { MAX_MARKUP_LENGTH, prepareText } from './prepareText.js';
import { walkTokens } from './syntax/messageToken.js';
import { parseMessage } from './syntax/parseMessage.js';

/** How many channels and threads one message may ask to be looked up. */
const MAX_REFERENCES = 100;

/**
 * The ids of the channels and threads that a content mentions or links to. Rendering needs their names. Each id is
 * given once, and 100 ids at most.
 */
export function collectReferences(content: string): string[] {
  const ids = new Set<string>();
  const text = prepareText(content);
  if (text.length <= MAX_MARKUP_LENGTH && /<#|\/channels\//i.test(text)) {
    walkTokens(parseMessage(text), (token) => {
      if (token.type === 'mention' && token.kind === 'channel') ids.add(token.id);
      const link = token.type === 'link' ? parseDiscordLink(token.href) : undefined;
      if (link) ids.add(link.channelId);
    });
  }
  return [...ids].slice(0, MAX_REFERENCES);
}
