import { formatTimestamp } from '../formatTimestamp.js';
import { addressLink, isAddress } from './matchLinks.js';
import type { Match, MessageToken, Place, Rule, Scan } from './messageToken.js';

const ANGLE =
  /<(?:@!?(?<user>\d{1,20})|@&(?<role>\d{1,20})|#(?<channel>\d{1,20})|\/(?<command>[^\s:<>][^:<>\n]{0,99}):(?<commandId>\d{1,20})|id:(?<page>customize|browse|guide|linked-roles)(?::(?<pageId>\d{1,20}))?|(?<animated>a?):(?<emoji>\w{1,32}):(?<emojiId>\d{1,20})|t:(?<seconds>-?\d{1,17})(?::(?<style>[tTdDfFsSR]))?|(?<address>(?:https?:\/\/|mailto:|tel:)[^\s<>]+)|(?<mail>[\w.%+-]{1,64}@(?:[A-Za-z\d-]{1,63}\.)+[A-Za-z]{2,63}(?:\?[^\s<>]*)?)|(?<phone>\+\d[\d ().-]{3,30}\d))>/y;

type Groups = Record<string, string | undefined>;

/** Matches mentions, custom emoji, timestamps, addresses and telephone numbers between angle brackets. */
export const matchAngles: Rule = (scan, at) => {
  ANGLE.lastIndex = at;
  const found = ANGLE.exec(scan.text);
  if (!found?.groups) return undefined;
  const from = scan.origin(at);
  const token = toToken(scan, found.groups, { from, to: from + found[0].length });
  return token && ({ tokens: [token], end: at + found[0].length } satisfies Match);
};

function toToken(scan: Scan, found: Groups, place: Place): MessageToken | undefined {
  if (found['user'] !== undefined) return mention(scan, place, 'user', found['user']);
  if (found['role'] !== undefined) return mention(scan, place, 'role', found['role']);
  if (found['channel'] !== undefined) return mention(scan, place, 'channel', found['channel']);
  if (found['command'] !== undefined) {
    return mention(scan, place, 'command', found['commandId']!, found['command']);
  }
  if (found['page'] !== undefined) return pageMention(scan, place, found['page'], found['pageId']);
  if (found['emoji'] !== undefined) return emoji(found, place);
  if (found['seconds'] !== undefined)
    return timestamp(found['seconds'], found['style'] ?? 'f', place);
  if (found['mail'] !== undefined) return address(scan, `mailto:${found['mail']}`, found['mail']);
  if (found['phone'] !== undefined) {
    return address(scan, `tel:${found['phone'].replace(/[^+\d]/g, '')}`, found['phone']);
  }
  return address(scan, found['address']!);
}

function mention(
  scan: Scan,
  place: Place,
  kind: 'user' | 'role' | 'channel' | 'command' | 'page',
  id: string,
  name = '',
): MessageToken {
  return { type: 'mention', kind, id, name, inLink: scan.nesting.inLink, ...place };
}

function pageMention(
  scan: Scan,
  place: Place,
  page: string,
  id: string | undefined,
): MessageToken | undefined {
  if (id !== undefined && page !== 'linked-roles') return undefined;
  return mention(scan, place, 'page', id ?? '', page);
}

function emoji(found: Groups, place: Place): MessageToken {
  return {
    type: 'emoji',
    name: found['emoji']!,
    id: found['emojiId']!,
    animated: found['animated'] === 'a',
    jumbo: false,
    ...place,
  };
}

function timestamp(seconds: string, style: string, place: Place): MessageToken | undefined {
  const formatted = formatTimestamp(Number(seconds), style);
  return formatted && { type: 'timestamp', style, ...formatted, ...place };
}

function address(scan: Scan, href: string, shown = href): MessageToken | undefined {
  const leads = isAddress(href) || /^tel:\+\d[\d().-]*$/.test(href);
  return leads && !scan.nesting.inLink ? addressLink(href, shown) : undefined;
}
