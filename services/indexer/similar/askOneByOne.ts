import type { Client, estypes } from '@elastic/elasticsearch';
import { isAwayStatus } from '../../../shared/platform/storeErrors.js';
import { SearchUnavailable } from '../stores/sendBulk.js';

/**
 * Sends several searches to an index in one call. Elasticsearch runs them one after the other. So one of its threads is
 * busy with them, and the others are free for readers. Throws SearchUnavailable when the index is too busy for one of
 * the searches, and an error when one fails.
 */
export async function askOneByOne<T>(
  elasticsearch: Client,
  index: string,
  questions: estypes.SearchSearchRequestBody[],
): Promise<estypes.MsearchMultiSearchItem<T>[]> {
  const { responses } = await elasticsearch.msearch<T>({
    index,
    max_concurrent_searches: 1,
    searches: questions.flatMap((question) => [{}, question]),
  });
  return responses.map((response) => {
    if ('error' in response) throw refused(response);
    return response;
  });
}

/** The error of one question. Each question of a call has a status of its own, as the index may be too busy for one. */
function refused({ status, error }: estypes.ErrorResponseBase): Error {
  const message = `Similar threads: ${error.reason ?? 'failed'}`;
  return isAwayStatus(status) ? new SearchUnavailable(message) : new Error(message);
}
