import type { Client } from '@elastic/elasticsearch';
import { AppError } from '../../../shared/contract/errors.js';
import { errors } from '../../../shared/drivers/elasticsearch.js';
import { searchProblem } from '../../../shared/store/searchIndex.js';
import { CALL_LIMIT_MS } from '../timeLimit.js';
import { Turns } from '../turns.js';

/** What a search needs: the client, and the archive whose index it reads. */
export interface SearchDeps {
  elasticsearch: Client;
  namespace: string;
}

/** How long a call may take (ms), and what goes with each: no second try, since the reader may ask again. */
export const CALL_LIMITS = { requestTimeout: CALL_LIMIT_MS, maxRetries: 0 } as const;

const RETRY_AFTER_SECONDS = '5';
/** A rebuild of the index takes minutes at least. */
const RETRY_AFTER_REBUILD_SECONDS = '60';

/**
 * How many calls of searches one process has under way. Those that wait here do not use up the time of their call. They
 * wait so briefly (ms) that the reader is still there when their turn comes: otherwise a line that is once too long would
 * be worked off for readers who were told 503 before, and nobody would be answered.
 */
export const CALLS_AT_ONCE = 8;
const LINE = 'searches';
const line = new Turns({ inAll: CALLS_AT_ONCE, waitMs: 1_000 });

/**
 * Asks Elasticsearch as `askElasticsearch` does, after the calls of other searches. Throws UNAVAILABLE when these take
 * too long.
 */
export function searchElasticsearch<T>(deps: SearchDeps, call: () => Promise<T>): Promise<T> {
  return line.take(LINE, CALLS_AT_ONCE, () => askElasticsearch(deps, call));
}

/**
 * Runs calls to Elasticsearch; when it is away, slow or overloaded, or its index was made for another version, throws
 * UNAVAILABLE with Retry-After, and VALIDATION_ERROR when a query makes more clauses than the server takes.
 */
export async function askElasticsearch<T>(deps: SearchDeps, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge(error);
    if (isNotUnderstood(error)) await checkIndex(deps, error);
    if (!isUnavailable(error)) throw error;
    throw new AppError('UNAVAILABLE', 'Search is not available at the moment', {
      headers: { 'Retry-After': RETRY_AFTER_SECONDS },
      cause: error,
    });
  }
}

/** Whether Elasticsearch says that it cannot do what it is asked. */
function isNotUnderstood(error: unknown): boolean {
  return error instanceof errors.ResponseError && [400, 500].includes(error.statusCode ?? 0);
}

/**
 * Throws UNAVAILABLE when the index was made for another version: it may lack fields and analysers that are asked for.
 */
async function checkIndex({ elasticsearch, namespace }: SearchDeps, cause: unknown): Promise<void> {
  const problem = await searchProblem(elasticsearch, namespace, CALL_LIMITS).catch(() => null);
  if (problem === null) return;
  throw new AppError('UNAVAILABLE', 'Search is not available until its index has been rebuilt', {
    headers: { 'Retry-After': RETRY_AFTER_REBUILD_SECONDS },
    cause: new Error(problem, { cause }),
  });
}

/** A missing index (404) is one that is not built yet; a refused query (400) is a defect of ours. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof errors.ResponseError) {
    const status = error.statusCode ?? 503;
    return status >= 500 || status === 429 || status === 404 || status === 401 || status === 403;
  }
  return error instanceof errors.ElasticsearchClientError;
}

/**
 * Hundreds of characters without a space, in a script written without spaces, make a clause of each pair of them in
 * each form; how many clauses a server takes depends on its memory.
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
