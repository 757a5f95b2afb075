import sanitizeHtml from 'sanitize-html';

/** Where custom emoji pictures come from, the only pictures that may be shown. */
export const EMOJI_ADDRESS = 'https://cdn.discordapp.com/emojis/';

/** The `rel` of every link. A member of the public has chosen where the link leads. */
export const LINK_REL = 'nofollow ugc noopener';

// Addresses of other sites, of mail and telephones, and paths of this archive. No other relative address is allowed.
const LINK_ADDRESS = /^(?:https?:\/\/[^/]|mailto:[^/]|tel:\+\d|\/api\/threads(?:[/?]|$))/i;

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
    // highlight.js gives a scope further classes that end with one or more underscores, such as "function_".
    span: ['hljs-*', 'language-*', /^[a-z]+_{1,3}$/],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
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

/** Removes from rendered HTML every element and attribute that is not among the allowed ones. */
export function sanitizeMarkup(html: string): string {
  return sanitizeHtml(html, POLICY);
}
