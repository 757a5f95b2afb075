import { expect } from 'chai';
import { parseFragment, serialize, type DefaultTreeAdapterMap } from 'parse5';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

const COMMON = ['class'];
const LINK = [...COMMON, 'href', 'rel', 'title', 'data-thread-id', 'data-channel-id'];
const SPAN = [...COMMON, 'role', 'tabindex', 'aria-label', 'aria-expanded'];

const ALLOWED: Record<string, string[]> = {
  ...Object.fromEntries(
    'p div br h1 h2 h3 blockquote ul li pre code strong em u del'
      .split(' ')
      .map((tag) => [tag, COMMON]),
  ),
  ol: ['start'],
  span: SPAN,
  a: LINK,
  img: [...COMMON, 'src', 'alt', 'loading'],
  time: [...COMMON, 'datetime', 'data-style'],
};

const CLASS =
  /^(?:mention|emoji|jumbo|spoiler|subtext|timestamp|hljs(?:-[a-z_-]+)?|language-[\w+#.-]+|[a-z]+_{1,3})$/;
const HREF = /^(?:https?:\/\/[^/]|mailto:[^/]|\/api\/threads(?:\/\d+(?:#\d+)?|\?channelId=\d+)$)/i;

/** Fails unless a browser would find only the allowed elements and attributes in the HTML. */
export function expectAllowedMarkup(html: string): void {
  visit(parseFragment(html));
}

/** Does the same, and also fails unless every element is closed in its place. */
export function expectSafeHtml(html: string): void {
  const fragment = parseFragment(html);
  visit(fragment);
  // A browser would write out what was given, so it has not closed, moved or invented any element.
  expect(normalise(serialize(fragment)), html).to.equal(normalise(html));
}

/** The text that a reader sees. */
export function textOf(html: string): string {
  const collect = (node: Node): string =>
    'value' in node
      ? node.value
      : 'childNodes' in node
        ? node.childNodes.map(collect).join('')
        : '';
  return collect(parseFragment(html));
}

function visit(node: Node): void {
  if ('tagName' in node) checkElement(node);
  else expect(['#document-fragment', '#text']).to.include(node.nodeName);
  if ('childNodes' in node) node.childNodes.forEach(visit);
}

function checkElement({ tagName, attrs, namespaceURI }: Element): void {
  expect(namespaceURI).to.equal('http://www.w3.org/1999/xhtml');
  expect(ALLOWED).to.have.property(tagName);
  for (const { name, value } of attrs) {
    expect(ALLOWED[tagName], `${tagName} ${name}`).to.include(name);
    if (name === 'class') for (const part of value.split(' ')) expect(part).to.match(CLASS);
    if (name === 'href') expect(value).to.match(HREF);
    if (name === 'src') {
      expect(value).to.match(/^https:\/\/cdn\.discordapp\.com\/emojis\/\d+\.(?:webp|gif)$/);
    }
  }
  if (tagName === 'a') {
    expect(attrs).to.deep.include({ name: 'rel', value: 'nofollow ugc noopener' });
  }
}

function normalise(html: string): string {
  return html.replaceAll(' />', '>').replaceAll('\u00a0', '&nbsp;').replaceAll('&quot;', '"');
}
