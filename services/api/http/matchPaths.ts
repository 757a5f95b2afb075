import type { Route } from './route.js';

/** What a URL asks for. */
export interface Match {
  route: Route;
  /** The path with the names of its parameters. */
  path: string;
  params: Record<string, string>;
  queryString: string;
}

interface Node {
  literals: Map<string, Node>;
  parameter?: { name: string; node: Node };
  end?: Pick<Match, 'route' | 'path'>;
}

/** A path whose words need no decoding, and a query that needs no more than decoding. */
const PLAIN = /^(\/|(?:\/[\w.-]+)+)(?:\?([!"$-~]{0,2048}))?$/;

/**
 * Makes a function that finds the route of a plain URL. Nearly all URLs are plain. Others match nothing here, and are
 * left to the router. Two paths must not differ only in the names of their parameters.
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
  for (const word of path.split('/').slice(1)) {
    const next: Node | undefined = node.literals.get(word);
    if (!next && node.parameter) params[node.parameter.name] = word;
    node = next ?? node.parameter?.node;
    if (!node) return undefined;
  }
  return node.end && { ...node.end, params, queryString };
}

function add(root: Node, path: string, route: Route): void {
  let node = root;
  for (const word of path.split('/').slice(1)) {
    node = word.startsWith(':') ? parameterOf(node, word.slice(1)) : literalOf(node, word);
  }
  node.end ??= { route, path };
}

function literalOf({ literals }: Node, word: string): Node {
  const known = literals.get(word) ?? emptyNode();
  literals.set(word, known);
  return known;
}

function parameterOf(node: Node, name: string): Node {
  node.parameter ??= { name, node: emptyNode() };
  return node.parameter.node;
}

function emptyNode(): Node {
  return { literals: new Map() };
}
