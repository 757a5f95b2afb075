import type { Operation } from '../../../shared/contract/operation.js';
import type { Answer } from '../answer.js';
import type { Asker } from '../asker.js';
import type { Caller } from '../caller.js';
import { queryReader } from './query.js';

/** What a handler gets. */
export interface Input<Params, Query, Body = undefined> {
  /** Parts of the path, as sent: the handler itself looks whether they can be what they should be. */
  params: Params;
  /** Checked by the operation's schema, as is the body. */
  query: Query;
  body: Body;
  /** Null on public operations. */
  caller: Caller | null;
  /** Under whose limit the request counts. */
  asker: Asker;
  /** The value of a cookie, as sent. */
  cookie: (name: string) => string | undefined;
}

export type Handler<Params, Query, Body = undefined> = (
  input: Input<Params, Query, Body>,
) => Promise<Answer>;

/** The tags that a cached answer depends on. `input`, where it is set, replaces the whole input in the cache key. */
export interface Dependency {
  tags: string[];
  input?: unknown;
  /**
   * Milliseconds after an announcement in which an answer may still miss what was announced. One that was asked for in
   * that time is kept until its end.
   */
  settlesMs?: number | undefined;
}

/** A request whose caller was admitted, not yet checked. */
export interface Asked {
  params: Record<string, string>;
  queryString: string;
  caller: Caller | null;
  asker: Asker;
  cookie: (name: string) => string | undefined;
}

/** An operation with its handler, its types already checked against each other. */
export interface Route {
  operation: Operation;
  /** Whether every caller gets the same answer: it depends on the path and the query alone. */
  isSameForAll: boolean;
  /** The key and tags of a cacheable answer, and how to make it. Throws VALIDATION_ERROR. */
  ask: (asked: Asked) => Question;
}

export interface Question {
  /** `body` is what the operation's rule has read. */
  answer: (body: unknown) => Promise<Answer>;
  cached?: { key: string } & Pick<Dependency, 'tags' | 'settlesMs'>;
}

/**
 * Joins an operation and its handler. Where `dependsOn` names the tags of an answer, the response cache keeps it. Without
 * `dependsOn` answers may depend on who asks.
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

/** Names and values in the order of the names: the same whatever the order in which the caller gave them. */
function sorted(values: object): [string, unknown][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}
