import { parseDiscordLink } from './parseDiscordLink.js';
import { MAX_MARKUP_LENGTH, prepareText } from './prepareText.js';
import { walkTokens, type MessageToken } from './syntax/messageToken.js';
import { parseMessage } from './syntax/parseMessage.js';

/** How many users, and how many channels, one message may ask to be looked up. */
const MAX_REFERENCES = 100;

/** The ids of users, and of channels and threads, whose names a message's rendering needs. */
export interface References {
  userIds: string[];
  channelIds: string[];
}

/** What renderContent would look up for a content: each id once, 100 of a kind at most. */
export function collectReferences(content: string): References {
  const users = new Set<string>();
  const channels = new Set<string>();
  const text = prepareText(content);
  if (text.length <= MAX_MARKUP_LENGTH && /<[@#]|\/channels\//i.test(text)) {
    walkTokens(parseMessage(text), (token) => collect(token, users, channels));
  }
  return { userIds: take(users), channelIds: take(channels) };
}

function collect(token: MessageToken, users: Set<string>, channels: Set<string>): void {
  if (token.type === 'mention') {
    if (token.kind === 'user') users.add(token.id);
    if (token.kind === 'channel') channels.add(token.id);
  } else if (token.type === 'link') {
    const link = parseDiscordLink(token.href);
    if (link) channels.add(link.channelId);
  }
}

function take(ids: Set<string>): string[] {
  return [...ids].slice(0, MAX_REFERENCES);
}
