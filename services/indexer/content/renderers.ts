import { escapeAttribute, escapeText } from './escapeHtml.js';
import { highlightCode } from './highlightCode.js';
import { EMOJI_ADDRESS, LINK_REL } from './sanitizeMarkup.js';
import type { MessageToken, Target } from './syntax/messageToken.js';

type Of<K extends MessageToken['type']> = Extract<MessageToken, { type: K }>;

// What marked renders as it is: strong, em, del, codespan and br.
type Custom = Exclude<MessageToken['type'], 'strong' | 'em' | 'del' | 'codespan' | 'br'>;

/**
 * One function for each token type. It is given a token and the HTML of what is inside it, and returns the HTML of the
 * token.
 */
export type Renderers = { [K in Custom]: (token: Of<K>, inner: string) => string };

const BLOCK_ELEMENT = /<(?:p|div|pre|h[1-3]|blockquote|[uo]l)\b/;
const REL = `rel="${LINK_REL}"`;

// A spoiler has a role and a state, as in the platform's client. By these, the style of a page can hide what is not
// expanded yet.
const SPOILER =
  '<span class="spoiler" role="button" tabindex="0" aria-label="Spoiler" aria-expanded="false">';

/** The HTML of each token type that is Discord's own or needs more than marked's rendering. */
export const renderers: Renderers = {
  // marked would not escape what looks like an entity. Discord shows `&lt;` as it was typed.
  text: ({ text }) => escapeText(text),
  paragraph: (_, inner) => paragraph('', inner),
  subtext: (_, inner) => paragraph(' class="subtext"', inner),
  blank: () => '<br /><br />',
  heading: ({ depth }, inner) => `<h${depth}>${inner}</h${depth}>`,
  blockquote: (_, inner) => `<blockquote>${inner}</blockquote>`,
  list: renderList,
  list_item: (_, inner) => `<li>${inner}</li>`,
  code: ({ text, lang }) => highlightCode(text, lang),
  underline: (_, inner) => `<u>${inner}</u>`,
  spoiler: (_, inner) => `${SPOILER}${inner}</span>`,
  link: renderLink,
  mention: renderMention,
  emoji: renderEmoji,
  unicodeEmoji: ({ text }) => `<span class="emoji jumbo">${escapeText(text)}</span>`,
  timestamp: ({ iso, style, text }) =>
    `<time class="timestamp" datetime="${iso}" data-style="${style}">${escapeText(text)}</time>`,
};

/** A `p` element cannot hold blocks. A spoiler or bold text may hold some, and then a `div` takes its place. */
function paragraph(attributes: string, inner: string): string {
  const element = BLOCK_ELEMENT.test(inner) ? 'div' : 'p';
  return `<${element}${attributes}>${inner}</${element}>`;
}

function renderList({ ordered, start }: Of<'list'>, inner: string): string {
  if (!ordered) return `<ul>${inner}</ul>`;
  return start === 1 ? `<ol>${inner}</ol>` : `<ol start="${start}">${inner}</ol>`;
}

function renderLink({ href, title, bare, target }: Of<'link'>, inner: string): string {
  if (target) {
    const shown = bare ? escapeText(target.name) : inner;
    return internalLink(target, bare ? 'class="mention" ' : '', shown);
  }
  const hint = title === '' ? '' : ` title="${escapeAttribute(title)}"`;
  return `<a href="${escapeAttribute(href)}"${hint} ${REL}>${inner}</a>`;
}

function renderMention({ shown = '', href, target, inLink }: Of<'mention'>): string {
  const text = escapeText(shown);
  if (target && !inLink) return internalLink(target, 'class="mention" ', text);
  return href === undefined || inLink
    ? `<span class="mention">${text}</span>`
    : `<a class="mention" href="${escapeAttribute(href)}" ${REL}>${text}</a>`;
}

/** A link to an archived thread, at a message of it, or to the threads of a channel. */
function internalLink({ kind, id, messageId }: Target, attributes: string, shown: string): string {
  const path =
    kind === 'thread'
      ? `/api/threads/${id}${messageId === undefined ? '' : `#${messageId}`}`
      : `/api/threads?channelId=${id}`;
  return `<a ${attributes}href="${path}" data-${kind}-id="${id}" ${REL}>${shown}</a>`;
}

function renderEmoji({ id, name, animated, jumbo }: Of<'emoji'>): string {
  // The platform serves every emoji as WebP, but not every animated one as GIF.
  const source = `${EMOJI_ADDRESS}${id}.webp${animated ? '?animated=true' : ''}`;
  const classes = jumbo ? 'emoji jumbo' : 'emoji';
  return `<img class="${classes}" src="${source}" alt=":${escapeAttribute(name)}:" loading="lazy" />`;
}
