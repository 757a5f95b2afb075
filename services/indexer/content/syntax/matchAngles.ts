import { formatTimestamp } from '../formatTimestamp.js';
import { addressLink, isAddress } from './matchLinks.js';
import type { Match, MessageToken, Rule, Scan } from './messageToken.js';

const ANGLE =
  /<(?:@!?(?<user>\d{1,20})|@&(?<role>\d{1,20})|#(?<channel>\d{1,20})|\/(?<command>[^\s:<>][^:<>\n]{0,99}):(?<commandId>\d{1,20})|id:(?<page>customize|browse|guide|linked-roles)(?::(?<pageId>\d{1,20}))?|(?<animated>a?):(?<emoji>\w{1,32}):(?<emojiId>\d{1,20})|t:(?<seconds>-?\d{1,17})(?::(?<style>[tTdDfFsSR]))?|(?<address>(?:https?:\/\/|mailto:)[^\s<>]+))>/y;

type Groups = Record<string, string | undefined>;

/** Matches mentions, custom emoji, timestamps and addresses between angle brackets. */
export const matchAngles: Rule = (scan, at) => {
  ANGLE.lastIndex = at;
  const found = ANGLE.exec(scan.text);
  const token = found?.groups && toToken(scan, found.groups);
  return token && ({ tokens: [token], end: ANGLE.lastIndex } satisfies Match);
};

function toToken(scan: Scan, found: Groups): MessageToken | undefined {
  if (found['user'] !== undefined) return mention(scan, 'user', found['user']);
  if (found['role'] !== undefined) return mention(scan, 'role', found['role']);
  if (found['channel'] !== undefined) return mention(scan, 'channel', found['channel']);
  if (found['command'] !== undefined) {
    return mention(scan, 'command', found['commandId']!, found['command']);
  }
  if (found['page'] !== undefined) return pageMention(scan, found['page'], found['pageId']);
  if (found['emoji'] !== undefined) return emoji(found);
  if (found['seconds'] !== undefined) return timestamp(found['seconds'], found['style'] ?? 'f');
  return address(scan, found['address']!);
}

function mention(
  scan: Scan,
  kind: 'user' | 'role' | 'channel' | 'command' | 'page',
  id: string,
  name = '',
): MessageToken {
  return { type: 'mention', kind, id, name, inLink: scan.nesting.inLink };
}

function pageMention(scan: Scan, page: string, id: string | undefined): MessageToken | undefined {
  if (id !== undefined && page !== 'linked-roles') return undefined;
  return mention(scan, 'page', id ?? '', page);
}

function emoji(found: Groups): MessageToken {
  return {
    type: 'emoji',
    name: found['emoji']!,
    id: found['emojiId']!,
    animated: found['animated'] === 'a',
    jumbo: false,
  };
}

function timestamp(seconds: string, style: string): MessageToken | undefined {
  const formatted = formatTimestamp(Number(seconds), style);
  return formatted && { type: 'timestamp', style, ...formatted };
}

function address(scan: Scan, href: string): MessageToken | undefined {
  return scan.nesting.inLink || !isAddress(href) ? undefined : addressLink(href);
}
