import type { estypes } from '@elastic/elasticsearch';
import type { SuggestParams, SuggestResponse } from '../../../shared/contract/search.js';
import type { ThreadDocument } from '../../../shared/store/searchIndex.js';
import { LONGEST_WHOLE } from '../../../shared/store/searchMapping.js';
import type { Asker } from '../asker.js';
import { searchIndex, type IndexDeps } from './askElasticsearch.js';
import { exactly } from './filters.js';
import { cleanText } from './parseQuery.js';

type Found = Pick<ThreadDocument, 'threadId' | 'title' | 'slug'>;

const SUGGESTIONS = 8;

/**
 * Titles that begin as the text does, then titles that hold its words (the last one may be unfinished). There are at
 * most 8.
 */
export async function suggestTitles(
  deps: IndexDeps,
  params: SuggestParams,
  { name }: Pick<Asker, 'name'>,
): Promise<SuggestResponse> {
  const request = buildSuggestRequest(params);
  const { hits } = await searchIndex<Found>({ ...deps, asker: name }, request, 'completion');
  const suggestions = hits.hits.flatMap(({ _source: found }) =>
    found ? [{ threadId: found.threadId, title: found.title, slug: found.slug }] : [],
  );
  return { query: params.q, suggestions };
}

/**
 * Asks for titles that hold the words of the text, in one server or channel where that is named. Those that begin as
 * the text does come first. Of equal titles, that of the thread with the most messages comes first. In an index of the
 * first mapping, no title would match. The sort names a field that such an index lacks. So Elasticsearch refuses the
 * question instead of finding nothing. No title in `heading.whole` begins with a text that is longer than all of them.
 * Elasticsearch would refuse to look for so long a beginning.
 */
export function buildSuggestRequest({
  q,
  serverId,
  channelId,
}: SuggestParams): Omit<estypes.SearchRequest, 'index'> {
  const text = cleanText(q);
  const begins = { constant_score: { filter: { prefix: { 'heading.whole': text } } } };
  return {
    query: {
      bool: {
        filter: [
          { match_bool_prefix: { heading: { query: text, operator: 'and' } } },
          ...exactly({ serverId, channelId }),
        ],
        should: text.length > LONGEST_WHOLE ? [] : [begins],
      },
    },
    size: SUGGESTIONS,
    sort: [
      '_score',
      { messageCount: 'desc' },
      { createdAt: 'desc' },
      { 'heading.whole': 'asc' },
      { idKey: 'desc' },
    ],
    _source: ['threadId', 'title', 'slug'],
    track_total_hits: false,
    allow_partial_search_results: false,
  };
}
