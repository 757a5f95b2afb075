import type { Operation } from '../../../shared/contract/operation.js';
import type { Answer } from '../answer.js';
import type { Asker } from '../asker.js';
import type { Admitted } from '../caller.js';
import type { RangeHeaders } from './askedPart.js';
import { queryReader } from './query.js';
import type { Tagged } from './responseCache.js';

/** What a handler gets of a request. */
export interface Input<Params, Query, Body = undefined> {
  /**
   * The parameters of the path, percent-decoded. They are not checked, so a handler may have to check that they are
   * ids.
   */
  params: Params;
  /** The query, checked by the operation's schema. */
  query: Query;
  /** The body, checked by the operation's schema if it has one, or else a RawBody. */
  body: Body;
  /** Null on public operations, and only there. */
  caller: Admitted | null;
  asker: Asker;
  /** The value of a cookie as it was sent. */
  cookie: (name: string) => string | undefined;
  /** Which part of a file is asked for. */
  part: RangeHeaders;
}

/** Answers the requests of an operation. It may reject with an AppError, which becomes the response. */
export type Handler<Params, Query, Body = undefined> = (
  input: Input<Params, Query, Body>,
) => Promise<Answer>;

/** What a cached answer depends on. `input` takes the place of the parameters and the query in the cache key. */
export interface Dependency extends Tagged {
  input?: unknown;
}

/** A request whose caller is admitted, but whose query string is not parsed yet. */
export interface Asked extends Omit<Input<Record<string, string>, unknown>, 'query' | 'body'> {
  queryString: string;
}

/** An operation with its handler. Their types have been checked against each other. */
export interface Route {
  operation: Operation;
  /** Whether the answer depends on path and query alone, and so is the same for every caller. */
  isSameForAll: boolean;
  /** Parses and checks the query of a request. Throws VALIDATION_ERROR. */
  ask: (asked: Asked) => Question;
}

/** A request with a checked query. */
export interface Question {
  /** Calls the handler. `body` was read by the operation's rule. */
  answer: (body: unknown) => Promise<Answer>;
  /** The key and the tags of the answer in the response cache; absent where it must not be cached. */
  cached?: Tagged & { key: string };
}

/**
 * Joins an operation and its handler. With `dependsOn`, every caller gets the same answer. The response cache keeps the
 * answer with the returned tags, or does not keep it where `dependsOn` returns undefined. Without `dependsOn`, an
 * answer may depend on the caller, and is never cached.
 */
export function route<Params, Query, Body>(
  operation: Operation<Params, Query, Body>,
  handler: Handler<Params, Query, Body>,
  dependsOn?: (input: Pick<Input<Params, Query>, 'params' | 'query'>) => Dependency | undefined,
): Route {
  const { operationId, access } = operation;
  if (dependsOn && access !== 'public') {
    throw new TypeError(`Answers of ${operationId} depend on a credential and must not be cached`);
  }
  const readQuery = queryReader(operation.query);
  return {
    operation,
    isSameForAll: dependsOn !== undefined,
    ask({ params, queryString, caller, asker, cookie, part }) {
      const query = readQuery(queryString);
      const input = { params: params as Params, query };
      const answer = (body: unknown): Promise<Answer> =>
        handler({ params: input.params, query, body: body as Body, caller, asker, cookie, part });
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

/** Names and values, sorted by name, so that their order in the request does not matter. */
function sorted(values: object): [string, unknown][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}
