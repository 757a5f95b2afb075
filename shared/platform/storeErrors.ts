import {
  MongoAPIError,
  MongoClientClosedError,
  MongoError,
  MongoExpiredSessionError,
  MongoNotConnectedError,
  MongoServerClosedError,
  MongoServerError,
  MongoTopologyClosedError,
} from 'mongodb';
import { errors as elasticsearch } from '../drivers/elasticsearch.js';

/**
 * MongoDB's error codes of a server that cannot answer now: it steps down, stops, is out of time or in conflict, or has
 * lost a cursor.
 */
const AWAY_CODES = new Set([
  6, 7, 43, 50, 64, 89, 91, 112, 134, 175, 189, 237, 262, 279, 9001, 10107, 11600, 11601, 11602,
  13435, 13436,
]);
const TRANSIENT = ['TransientTransactionError', 'UnknownTransactionCommitResult'];
const CUT_CODES = new Set(['EPIPE', 'ECONNRESET']);
/** Elasticsearch's statuses that mean the same. With 404 the index is lost, and will be built again. */
const AWAY_STATUSES = new Set([404, 408, 429, 502, 503, 504]);

/** Whether an error says that a store is away, too slow or too busy, so that the same request may succeed later. */
export function isStoreAway(error: unknown): boolean {
  // A transaction was not carried out, or nobody knows whether it was.
  if (error instanceof MongoError && TRANSIENT.some((label) => error.hasErrorLabel(label)))
    return true;
  if (error instanceof MongoServerError) return isServerAway(error);
  if (error instanceof MongoAPIError) return isDisconnected(error);
  if (error instanceof MongoError) return true;
  if (error instanceof elasticsearch.ResponseError) {
    return isAwayStatus(error.statusCode ?? 0);
  }
  return (
    error instanceof elasticsearch.ConnectionError ||
    error instanceof elasticsearch.TimeoutError ||
    error instanceof elasticsearch.NoLivingConnectionsError ||
    isTimeLimit(error) ||
    isCut(error)
  );
}

/** Whether a status of Elasticsearch says that it is away, too slow or too busy. */
export function isAwayStatus(status: number): boolean {
  return AWAY_STATUSES.has(status);
}

/** The error of a bulk write holds the error that kept it from being sent. */
function isServerAway({ code, errorResponse }: MongoServerError): boolean {
  return errorResponse instanceof Error ? isStoreAway(errorResponse) : AWAY_CODES.has(Number(code));
}

/** Whether the other side has closed the connection. Drivers throw some of these system errors unchanged. */
function isCut(error: unknown): boolean {
  return error instanceof Error && CUT_CODES.has((error as NodeJS.ErrnoException).code ?? '');
}

/** Whether an error says that a time limit has passed, as those of AbortSignal.timeout and withTimeout do. */
export function isTimeLimit(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

/** Whether a client has connected again, which ends the sessions of the calls under way. */
function isDisconnected(error: MongoAPIError): boolean {
  return (
    error instanceof MongoExpiredSessionError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoServerClosedError ||
    error instanceof MongoTopologyClosedError ||
    error instanceof MongoClientClosedError
  );
}
