import { expect } from 'chai';
import { html as names, parseFragment, serialize, type DefaultTreeAdapterMap } from 'parse5';

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
const HREF =
  /^(?:https?:\/\/[^/]|mailto:[^/]|tel:\+\d|\/api\/threads(?:\/\d+(?:#\d+)?|\?channelId=\d+)$)/i;
const SRC = /^https:\/\/cdn\.discordapp\.com\/emojis\/\d+\.webp(?:\?animated=true)?$/;

/** Fails unless a browser would find only the allowed elements and attributes in the HTML. */
export function expectAllowedMarkup(html: string): void {
  expectAllowed(parseFragment(html));
}

/** Does the same, and also fails unless every element is closed in its place. */
export function expectSafeHtml(html: string): void {
  const fragment = parseFragment(html);
  expectAllowed(fragment);
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

function expectAllowed(fragment: Node): void {
  const problem = problemIn(fragment);
  expect(problem).to.equal(undefined);
}

/**
 * The first thing in a node that is not allowed. There are a million things to look at, so each is compared without an
 * assertion of its own.
 */
function problemIn(node: Node): string | undefined {
  const isElement = 'tagName' in node;
  const problem = isElement ? problemOf(node) : isText(node) ? undefined : node.nodeName;
  if (problem !== undefined || !('childNodes' in node)) return problem;
  for (const child of node.childNodes) {
    const inChild = problemIn(child);
    if (inChild !== undefined) return inChild;
  }
  return undefined;
}

function isText({ nodeName }: Node): boolean {
  return nodeName === '#document-fragment' || nodeName === '#text';
}

function problemOf({ tagName, attrs, namespaceURI }: Element): string | undefined {
  const allowed = Object.hasOwn(ALLOWED, tagName) ? ALLOWED[tagName]! : undefined;
  if (!allowed || namespaceURI !== names.NS.HTML) return `<${tagName}> of ${namespaceURI}`;
  const wrong = attrs.find(({ name, value }) => !allowed.includes(name) || !isValue(name, value));
  if (wrong) return `<${tagName} ${wrong.name}="${wrong.value}">`;
  const rel = attrs.find(({ name }) => name === 'rel')?.value;
  if (tagName === 'a' && rel !== 'nofollow ugc noopener') return `<a rel="${rel}">`;
  return undefined;
}

function isValue(name: string, value: string): boolean {
  if (name === 'class') return value.split(' ').every((part) => CLASS.test(part));
  if (name === 'href') return HREF.test(value);
  if (name === 'src') return SRC.test(value);
  return true;
}

function normalise(html: string): string {
  return html.replaceAll(' />', '>').replaceAll('\u00a0', '&nbsp;').replaceAll('&quot;', '"');
}
