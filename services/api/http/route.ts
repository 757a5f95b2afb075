import type { Operation } from '../../../shared/contract/operation.js';
import type { Answer } from '../answer.js';
import { queryReader } from './query.js';

/** What a handler is asked: checked values alone. */
export interface Input<Params, Query> {
  params: Params;
  query: Query;
}

export type Handler<Params, Query> = (input: Input<Params, Query>) => Promise<Answer>;

/** What a cached answer depends on; `input` is what it is kept under, in place of the whole input. */
export interface Dependency {
  tags: string[];
  input?: unknown;
}

/** An operation with its handler, its types already checked against each other. */
export interface Route {
  operation: Operation;
  /** The key and tags of a cacheable answer, and how to make it. Throws VALIDATION_ERROR. */
  ask(params: Record<string, string>, queryString: string): Question;
}

export interface Question {
  answer: () => Promise<Answer>;
  cached?: { key: string; tags: string[] };
}

/** Joins an operation to the handler that answers it; where `dependsOn` tells on what, its answers are kept in the response cache. */
export function route<Params, Query>(
  operation: Operation<Params, Query>,
  handler: Handler<Params, Query>,
  dependsOn?: (input: Input<Params, Query>) => Dependency | undefined,
): Route {
  const readQuery = queryReader(operation.query);
  return {
    operation: operation,
    ask(params, queryString) {
      const input = { params: params as Params, query: readQuery(queryString) };
      const answer = (): Promise<Answer> => handler(input);
      const dependency = dependsOn?.(input);
      return dependency
        ? { answer, cached: keyed(operation.operationId, dependency, input) }
        : { answer };
    },
  };
}

function keyed(operationId: string, { tags, input }: Dependency, whole: unknown) {
  return { key: `${operationId} ${JSON.stringify(sorted(input ?? whole))}`, tags };
}

/** The same input always makes the same text, in whatever order the caller named its parts. */
function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, part]) => [name, sorted(part)]);
}
