import type { Client, estypes } from '@elastic/elasticsearch';
import {
  describeMapping,
  listGenerations,
  readSearchIndex,
} from '../../shared/store/searchIndex.js';
import { KEPT_SINCE_THIRD } from '../../shared/store/searchMapping.js';
import { renewSearchIndex, type RenewDeps } from './search/renewSearchIndex.js';

/**
 * The fields that an index of mapping 1 lacks. Such an index keeps a conversation in one field. The text of today's
 * `stretches` is copied into that field, so that searches find new messages until the index is rebuilt.
 */
const ADDED_TO_FIRST: Record<string, estypes.MappingProperty> = {
  heading: { type: 'keyword', index: false, doc_values: false },
  conversationHash: { type: 'keyword', index: false, doc_values: false },
  stretches: {
    type: 'object',
    properties: { text: { type: 'text', index: false, copy_to: 'conversation' } },
  },
};

/**
 * Creates the search index where there is none. Existing indexes are changed so that they accept today's documents: the
 * one that is searched, the one that a rebuild fills, and the one that a rebuild has left. An earlier mapping is
 * logged.
 */
export async function prepareSearch(deps: RenewDeps): Promise<void> {
  const { elasticsearch, namespace, logger } = deps;
  const isSearched = await renewSearchIndex(deps);
  const generations = await listGenerations(elasticsearch, namespace);
  const searched = isSearched ? await readSearchIndex(elasticsearch, namespace) : undefined;
  const all = new Set([...(searched ? [searched.index] : []), ...generations.values()]);
  if (all.size > 0) await keepUsable(elasticsearch, [...all]);
  if (!searched) return;
  const { index, mappingVersion } = searched;
  if (mappingVersion === 1) {
    await elasticsearch.indices.putMapping({ index, properties: ADDED_TO_FIRST });
  }
  const problem = describeMapping(mappingVersion);
  if (problem !== null) logger.warn({ index, mappingVersion }, problem);
}

async function keepUsable(elasticsearch: Client, index: string[]): Promise<void> {
  // Rebuilds of earlier versions created an index that is never refreshed, and could leave it so.
  const settings = { refresh_interval: null } as unknown as estypes.IndicesIndexSettings;
  await elasticsearch.indices.putSettings({ index, settings });
  await elasticsearch.indices.putMapping({ index, properties: KEPT_SINCE_THIRD });
}
