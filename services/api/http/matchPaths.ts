import type { Route } from './route.js';

/** The route of a URL, and what the URL holds for it. */
export interface Match {
  route: Route;
  /** The path as declared, with the names of its parameters. */
  path: string;
  params: Record<string, string>;
  queryString: string;
}

/** A node of the tree of paths, in which each edge is a segment. */
interface Node {
  literals: Map<string, Node>;
  parameter?: { name: string; node: Node };
  end?: Pick<Match, 'route' | 'path'>;
}

/**
 * A path whose segments need no percent-decoding. A query string of at most 2,048 printable ASCII characters, without
 * `#`, may follow.
 */
const PLAIN = /^(\/|(?:\/[\w.-]+)+)(?:\?([!"$-~]{0,2048}))?$/;

/**
 * Makes a function that finds the route of a URL in the form of PLAIN. Nearly all URLs have it. For others it returns
 * undefined, and Koa's router decides. Two paths must not differ only in the names of their parameters.
 */
export function pathMatcher(routes: readonly Route[]): (url: string) => Match | undefined {
  const root = emptyNode();
  for (const route of routes) for (const path of route.operation.paths) add(root, path, route);
  return (url) => {
    const [, path, queryString = ''] = PLAIN.exec(url) ?? [];
    return path === undefined ? undefined : find(root, path, queryString);
  };
}

function find(root: Node, path: string, queryString: string): Match | undefined {
  const params: Record<string, string> = {};
  let node: Node | undefined = root;
  for (const segment of path.split('/').slice(1)) {
    const next: Node | undefined = node.literals.get(segment);
    if (!next && node.parameter) params[node.parameter.name] = segment;
    node = next ?? node.parameter?.node;
    if (!node) return undefined;
  }
  if (!node.end) return undefined;
  const { route, path: declared } = node.end;
  return { route, path: declared, params, queryString };
}

function add(root: Node, path: string, route: Route): void {
  let node = root;
  for (const segment of path.split('/').slice(1)) {
    const isParameter = segment.startsWith(':');
    node = isParameter ? parameterOf(node, segment.slice(1)) : literalOf(node, segment);
  }
  node.end ??= { route, path };
}

function literalOf({ literals }: Node, segment: string): Node {
  const known = literals.get(segment) ?? emptyNode();
  literals.set(segment, known);
  return known;
}

function parameterOf(node: Node, name: string): Node {
  node.parameter ??= { name, node: emptyNode() };
  return node.parameter.node;
}

function emptyNode(): Node {
  return { literals: new Map() };
}
