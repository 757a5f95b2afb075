import sanitizeHtml from 'sanitize-html';

/** Where custom emoji pictures come from, the only pictures that may be shown. */
export const EMOJI_ADDRESS = 'https://cdn.discordapp.com/emojis/';

/** What every link carries: it leads to where a member of the public pointed. */
export const LINK_REL = 'nofollow ugc noopener';

// Elsewhere, or into this archive; nothing else is relative.
const LINK_ADDRESS = /^(?:https?:\/\/[^/]|mailto:[^/]|\/api\/threads(?:[/?]|$))/i;

const POLICY: sanitizeHtml.IOptions = {
  allowedTags: [
    'p',
    'div',
    'br',
    'h1',
    'h2',
    'h3',
    'blockquote',
    'ul',
    'ol',
    'li',
    'pre',
    'code',
    'strong',
    'em',
    'u',
    'del',
    'span',
    'a',
    'img',
    'time',
  ],
  allowedAttributes: {
    a: ['href', 'rel', 'title', 'data-thread-id', 'data-channel-id'],
    img: ['src', 'alt', 'loading'],
    ol: ['start'],
    span: ['role', 'tabindex', 'aria-label', 'aria-expanded'],
    time: ['datetime', 'data-style'],
  },
  allowedClasses: {
    '*': ['mention', 'emoji', 'jumbo', 'spoiler', 'subtext', 'timestamp', 'hljs'],
    code: ['language-*'],
    // highlight.js names what a scope is with one or more underscores at the end: "function_".
    span: ['hljs-*', 'language-*', /^[a-z]+_{1,3}$/],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['https'] },
  allowProtocolRelative: false,
  parseStyleAttributes: false,
  disallowedTagsMode: 'discard',
  nonTextTags: ['script', 'style', 'textarea', 'option', 'xmp', 'noscript', 'iframe', 'template'],
  transformTags: { a: sanitizeHtml.simpleTransform('a', { rel: LINK_REL }) },
  exclusiveFilter: ({ tag, attribs }) => {
    if (tag === 'img') return !(attribs['src'] ?? '').startsWith(EMOJI_ADDRESS);
    return tag === 'a' && !LINK_ADDRESS.test(attribs['href'] ?? '') ? 'excludeTag' : false;
  },
};

/** Rendered HTML with everything removed that the allow-list of elements and attributes lacks. */
export function sanitizeMarkup(html: string): string {
  return sanitizeHtml(html, POLICY);
}
