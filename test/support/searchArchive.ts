import { searchArchive as search } from '../../services/api/search/searchArchive.js';
import type { SearchResponse } from '../../shared/contract/search.js';

/** The answer of a search, as the API sends it. */
export async function searchArchive(...given: Parameters<typeof search>): Promise<SearchResponse> {
  return (await search(...given)).answer;
}
