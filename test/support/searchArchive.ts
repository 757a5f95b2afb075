import { searchArchive as search } from '../../services/api/search/searchArchive.js';
import type { SearchResponse } from '../../shared/contract/search.js';

/** Enough for a busy machine. */
export const PATIENCE_MS = 600_000;

/** The answer of a search, as the API sends it. It waits for all that the search looks for, unless it is told otherwise. */
export async function searchArchive(
  ...[deps, ...asked]: Parameters<typeof search>
): Promise<SearchResponse> {
  return (await search({ furtherMs: PATIENCE_MS, ...deps }, ...asked)).answer;
}
