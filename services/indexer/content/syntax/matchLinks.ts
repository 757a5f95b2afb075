import { parseUrl } from '../../../../shared/platform/parseUrl.js';
import type { LinkToken, Match, MessageToken, Place, Rule, Scan } from './messageToken.js';

const BARE = /https?:\/\/[^\s<]+/iy;
const TRAILING = /[<.,:;"'\]\s]$/;
const TARGET =
  /\([ \t]*(?:<([^<>\s]+)>|((?:[^\s()<>]|\([^\s()<>]*\))+))(?:[ \t]+(?:"([^"\n]*)"|'([^'\n]*)'))?[ \t]*\)/y;
const ADDRESS_IN_LABEL = /:\/\/(?<=[a-z][a-z0-9+.-]*:\/\/)|^\s*www\./i;
// Marks, and characters that show nothing, such as a soft hyphen.
const UNSEEN = /[\\*_~|`\p{Default_Ignorable_Code_Point}]/gu;
/** A label that may be a domain, without the path after it. Chinese and Japanese write a dot of their own. */
const DOMAIN_LABEL = /^\s*([^\s./?#:@。]+[.。][^\s/?#:@]+)(?:[/?#:]\S*)?\s*$/u;
/**
 * Endings of sites that people know and trust. Endings that people know from files, such as md and rs, are left out.
 */
const ENDING =
  /\.(?:com|net|org|edu|gov|mil|int|info|biz|app|dev|gg|io|co|me|ai|tv|to|ly|gl|im|xyz|link|site|online|store|shop|tech|cloud|page|blog|live|chat|news|games|gift|new|club|pro|top|eu|uk|us|ca|au|nz|ie|de|at|ch|fr|nl|be|lu|it|es|pt|br|mx|ar|se|no|dk|fi|is|cz|sk|hu|ro|gr|tr|ru|ua|su|jp|cn|kr|tw|hk|sg|id|vn|th|ph|za|il|ir)$/;

/** Matches an http or https address standing alone, without the punctuation after it. */
export const matchBareLink: Rule = (scan, at) => {
  if (scan.nesting.inLink) return undefined;
  BARE.lastIndex = at;
  const found = BARE.exec(scan.text)?.[0];
  if (!found || !scan.afford(found.length)) return undefined;
  const href = trimAddress(found);
  return isAddress(href) ? { tokens: [addressLink(href)], end: at + href.length } : undefined;
};

/** The link token of an address that is shown as it was written. */
export function addressLink(href: string, shown = href): LinkToken {
  return { type: 'link', href, title: '', bare: true, tokens: [{ type: 'text', text: shown }] };
}

/** Whether an address is one that a link may lead to: http, https or mailto, well-formed. */
export function isAddress(href: string): boolean {
  return /^(?:https?:\/\/|mailto:)[^/]/i.test(href) && parseUrl(href)?.hostname !== undefined;
}

/** Matches `[text](address)`, also with `<address>` and a title. */
export const matchMaskedLink: Rule = (scan, at) => {
  if (scan.nesting.inLink) return undefined;
  const close = closingBracket(scan, at);
  if (close === undefined || scan.text[close + 1] !== '(') return undefined;
  TARGET.lastIndex = close + 1;
  const found = TARGET.exec(scan.text);
  if (!found || !scan.afford(found[0].length)) return undefined;
  const href = found[1] ?? found[2]!;
  const labelAt = { from: at + 1, to: close };
  const label = scan.text.slice(labelAt.from, labelAt.to);
  if (!isAddress(href) || label.trim() === '') return undefined;
  const end = TARGET.lastIndex;
  if (isMisleading(label, href)) {
    return { tokens: literal(scan, labelAt, { from: close + 2, to: end - 1 }), end };
  }
  return link(scan, labelAt, href, found[3] ?? found[4] ?? '', end);
};

function link(scan: Scan, label: Place, href: string, title: string, end: number): Match {
  const tokens = scan.nested(label, { inLink: true });
  return { tokens: [{ type: 'link', href, title, bare: false, tokens }], end };
}

/**
 * Shows both the label and the address of a link, each with its own link. The label names an address itself, and would
 * hide the real one.
 */
function literal(scan: Scan, label: Place, target: Place): MessageToken[] {
  return [
    { type: 'text', text: '[' },
    ...scan.nested(label),
    { type: 'text', text: '](' },
    ...scan.nested(target),
    { type: 'text', text: ')' },
  ];
}

function isMisleading(label: string, href: string): boolean {
  // Wide letters, as Japanese keyboards write them, become the usual ones.
  const shown = label.replace(UNSEEN, '').normalize('NFKC');
  if (ADDRESS_IN_LABEL.test(shown)) return true;
  const domain = siteOf(`https://${DOMAIN_LABEL.exec(shown)?.[1] ?? ''}`);
  return ENDING.test(domain) && domain !== siteOf(href);
}

/** The host of an address as browsers read it, without `www.` and a dot at the end; empty where there is none. */
function siteOf(address: string): string {
  return parseUrl(address)?.hostname.replace(/^www\.|\.$/g, '') ?? '';
}

function closingBracket(scan: Scan, at: number): number | undefined {
  if (!scan.afford(0)) return undefined;
  const { text, code } = scan;
  let open = 0;
  let i = at;
  while (i < text.length) {
    if (text[i] === '\\') i++;
    else if (text[i] === '`') i = (code.get(i)?.end ?? i + 1) - 1;
    else if (text[i] === '[') open++;
    else if (text[i] === ']' && --open === 0) break;
    i++;
  }
  return scan.afford(i - at) && i < text.length ? i : undefined;
}

function trimAddress(found: string): string {
  let end = found.length;
  let surplus = (found.match(/\)/g)?.length ?? 0) - (found.match(/\(/g)?.length ?? 0);
  for (;;) {
    const last = found[end - 1] ?? '';
    if (last === ')' && surplus > 0) surplus--;
    else if (!TRAILING.test(last)) return found.slice(0, end);
    end--;
  }
}
