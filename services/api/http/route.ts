import type { Operation } from '../../../shared/contract/operation.js';
import type { Answer } from '../answer.js';
import type { Asker } from '../asker.js';
import type { Admitted } from '../caller.js';
import { queryReader } from './query.js';
import type { Tagged } from './responseCache.js';

/** What a handler gets. */
export interface Input<Params, Query, Body = undefined> {
  /** Parts of the path as they were sent. The handler itself checks that they can be ids. */
  params: Params;
  /** The query, checked by the operation's schema. So is the body. */
  query: Query;
  body: Body;
  /** Null on public operations. */
  caller: Admitted | null;
  /** The name whose limit the request counts towards. */
  asker: Asker;
  /** The value of a cookie as it was sent. */
  cookie: (name: string) => string | undefined;
}

export type Handler<Params, Query, Body = undefined> = (
  input: Input<Params, Query, Body>,
) => Promise<Answer>;

/** What a cached answer depends on. Where `input` is set, the cache key holds it in place of the whole input. */
export interface Dependency extends Tagged {
  input?: unknown;
}

/** A request whose caller is admitted, but whose query is not yet checked. */
export interface Asked extends Omit<Input<Record<string, string>, unknown>, 'query' | 'body'> {
  queryString: string;
}

/** An operation with its handler. Their types have been checked against each other. */
export interface Route {
  operation: Operation;
  /** Whether every caller gets the same answer, which then depends on path and query alone. */
  isSameForAll: boolean;
  /** Gives the cache key and tags of an answer, and a way to make it. Throws VALIDATION_ERROR. */
  ask: (asked: Asked) => Question;
}

export interface Question {
  /** `body` is what was read by the operation's rule. */
  answer: (body: unknown) => Promise<Answer>;
  cached?: Tagged & { key: string };
}

/**
 * Joins an operation and its handler. With `dependsOn`, which names the tags of an answer, the response cache keeps
 * answers. Without it, answers may depend on the caller.
 */
export function route<Params, Query, Body>(
  operation: Operation<Params, Query, Body>,
  handler: Handler<Params, Query, Body>,
  dependsOn?: (input: Pick<Input<Params, Query>, 'params' | 'query'>) => Dependency | undefined,
): Route {
  const { operationId, access } = operation;
  if (dependsOn && access !== 'public') {
    throw new TypeError(`Answers of ${operationId} depend on a credential and must not be kept`);
  }
  const readQuery = queryReader(operation.query);
  return {
    operation,
    isSameForAll: dependsOn !== undefined,
    ask({ params, queryString, caller, asker, cookie }) {
      const query = readQuery(queryString);
      const input = { params: params as Params, query };
      const answer = (body: unknown): Promise<Answer> =>
        handler({ params: input.params, query, body: body as Body, caller, asker, cookie });
      const dependency = dependsOn?.(input);
      if (!dependency) return { answer };
      const {
        tags,
        settlesMs,
        input: kept = [sorted(params), sorted(query as object)],
      } = dependency;
      return { answer, cached: { key: `${operationId} ${JSON.stringify(kept)}`, tags, settlesMs } };
    },
  };
}

/** Names and values, sorted by name. So the order in which the caller gave them does not matter. */
function sorted(values: object): [string, unknown][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}
