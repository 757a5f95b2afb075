import { searchArchive as search } from '../../services/api/search/searchArchive.js';
import type { SearchResponse } from '../../shared/contract/search.js';

/** Long enough for a busy machine (ms). */
export const PATIENCE_MS = 600_000;

/**
 * The answer of a search, as the API sends it. Unless told otherwise, it waits for everything that the search looks
 * for.
 */
export async function searchArchive(
  ...[deps, ...asked]: Parameters<typeof search>
): Promise<SearchResponse> {
  return (await search({ furtherMs: PATIENCE_MS, ...deps }, ...asked)).answer;
}
