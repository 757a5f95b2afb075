import type { Client, estypes } from '@elastic/elasticsearch';
import { AppError } from '../../../shared/contract/errors.js';
import { errors } from '../../../shared/drivers/elasticsearch.js';
import { searchAlias, searchProblem } from '../../../shared/store/searchIndex.js';
import { CALL_LIMIT_MS } from '../timeLimit.js';
import { Turns } from '../turns.js';
import { Unavailable } from '../unavailable.js';

/** What a call to the index needs: the client, and the namespace of the archive whose index it is. */
export interface IndexDeps {
  elasticsearch: Client;
  namespace: string;
}

/** What a search needs. */
export interface SearchDeps extends IndexDeps {
  /** The name of the one who asks. */
  asker: string;
}

/** A search of the index of the archive. */
export type Request = Omit<estypes.SearchRequest, 'index'>;

type Aggregations = Record<string, estypes.AggregationsAggregate>;

/** The limits of a call: how long it may take (ms), and no second try, since the reader may ask again. */
export const CALL_LIMITS = { requestTimeout: CALL_LIMIT_MS, maxRetries: 0 } as const;

const RETRY_SECONDS = 5;
/** A rebuild of the index takes minutes at least. */
const RETRY_AFTER_REBUILD_SECONDS = 60;

/**
 * The most calls for searches that one process has under way at once. It may have as many for completions besides.
 * Completions have a line of their own, because searches take much longer. Further calls wait, but only briefly
 * (`waitMs`). Waiting does not use up the time of the call itself. With long waits, readers would get 503 before the
 * turn of their calls came. Then these calls would still be made, for nobody, and later readers would wait even longer.
 */
export const CALLS_AT_ONCE = 8;
const LIMITS = { inAll: CALLS_AT_ONCE, waitMs: 1_000 };
const lines = { search: new Turns(LIMITS), completion: new Turns(LIMITS) };

/**
 * Asks Elasticsearch as `askElasticsearch` does, in turn with the calls of other askers. So one who asks much waits
 * behind those who ask little. Throws UNAVAILABLE where the turn does not come in time.
 */
export function searchElasticsearch<T>(
  deps: SearchDeps,
  call: () => Promise<T>,
  line: keyof typeof lines = 'search',
): Promise<T> {
  return lines[line].take(deps.asker, CALLS_AT_ONCE, () => askElasticsearch(deps, call));
}

/** Searches the index of the archive, in turn with other calls. Throws as `searchElasticsearch` does. */
export function searchIndex<Source = unknown, Counts = Aggregations>(
  deps: SearchDeps,
  request: Request,
  line?: keyof typeof lines,
): Promise<estypes.SearchResponse<Source, Counts>> {
  const { elasticsearch, namespace } = deps;
  const asked = { index: searchAlias(namespace), ...request };
  const call = () => elasticsearch.search<Source, Counts>(asked, CALL_LIMITS);
  return searchElasticsearch(deps, call, line);
}

/**
 * Makes calls to Elasticsearch. Throws UNAVAILABLE with Retry-After where it is away, slow or overloaded, or where its
 * index was made for another version. Throws VALIDATION_ERROR where a query makes more clauses than the server takes.
 */
async function askElasticsearch<T>(deps: IndexDeps, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge(error);
    if (isNotUnderstood(error)) await checkIndex(deps, error);
    if (!isUnavailable(error)) throw error;
    throw new Unavailable('Search is not available at the moment', RETRY_SECONDS, error);
  }
}

/** Whether Elasticsearch says that it cannot do what it is asked. */
function isNotUnderstood(error: unknown): boolean {
  return error instanceof errors.ResponseError && [400, 500].includes(error.statusCode ?? 0);
}

/**
 * Throws UNAVAILABLE where the index was made for another version. It may lack fields and analysers that are asked for.
 */
async function checkIndex({ elasticsearch, namespace }: IndexDeps, cause: unknown): Promise<void> {
  const problem = await searchProblem(elasticsearch, namespace, CALL_LIMITS).catch(() => null);
  if (problem === null) return;
  throw new Unavailable(
    'Search is not available until its index has been rebuilt',
    RETRY_AFTER_REBUILD_SECONDS,
    new Error(problem, { cause }),
  );
}

/**
 * Whether the index cannot answer now. A missing index (404) is not built yet. A refused query (400) is a defect of
 * this API.
 */
function isUnavailable(error: unknown): boolean {
  if (error instanceof errors.ResponseError) {
    const status = error.statusCode ?? 503;
    return status >= 500 || status === 429 || status === 404 || status === 401 || status === 403;
  }
  return error instanceof errors.ElasticsearchClientError;
}

/**
 * Whether a query makes too many clauses. In a script without spaces, hundreds of characters in a row make a clause for
 * each pair of characters in each form. How many clauses a server takes depends on its memory.
 */
function isTooLarge(error: unknown): boolean {
  if (!(error instanceof errors.ResponseError)) return false;
  const { error: told } = (error.body ?? {}) as { error?: { failed_shards?: FailedShard[] } };
  return (told?.failed_shards ?? []).some(({ reason }) => TOO_MANY.has(reason?.caused_by?.type));
}

interface FailedShard {
  reason?: { caused_by?: { type?: string } };
}

const TOO_MANY = new Set<string | undefined>(['too_many_nested_clauses', 'too_many_clauses']);

function tooLarge(cause: unknown): AppError {
  const message = 'q is too long to be searched; shorten it, or leave out minScore';
  return new AppError('VALIDATION_ERROR', message, { details: [{ path: 'q', message }], cause });
}
