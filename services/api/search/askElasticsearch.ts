import { errors, type Client } from '@elastic/elasticsearch';
import { AppError } from '../../../shared/contract/errors.js';

/** What a search needs: the client, and the archive whose index it reads. */
export interface SearchDeps {
  elasticsearch: Client;
  namespace: string;
}

/** How long a call may take (ms), and what goes with each: no second try, since the reader may ask again. */
export const CALL_LIMITS = { requestTimeout: 2_500, maxRetries: 0 } as const;

const RETRY_AFTER_SECONDS = '5';

/** Runs calls to Elasticsearch; when it is away, slow or overloaded, throws UNAVAILABLE with Retry-After. */
export async function askElasticsearch<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new AppError('UNAVAILABLE', 'Search is not available at the moment', {
      headers: { 'Retry-After': RETRY_AFTER_SECONDS },
      cause: error,
    });
  }
}

/** A missing index (404) is one that is not built yet; a refused query (400) is a defect of ours. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof errors.ResponseError) {
    const status = error.statusCode ?? 503;
    return status >= 500 || status === 429 || status === 404 || status === 401 || status === 403;
  }
  return error instanceof errors.ElasticsearchClientError;
}
