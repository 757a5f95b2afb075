import type { estypes } from '@elastic/elasticsearch';
import {
  describeMapping,
  listGenerations,
  readSearchIndex,
} from '../../shared/store/searchIndex.js';
import { KEPT_SINCE_THIRD } from '../../shared/store/searchMapping.js';
import { renewSearchIndex, type RenewDeps } from './search/renewSearchIndex.js';

/**
 * What an index of mapping 1 lacks of today's documents. It keeps a conversation in one piece: what stands in the
 * stretches is copied there, so that it goes on finding what is written until it is rebuilt.
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
 * Makes the search index where there is none. Those of before are made to take today's documents: the one that is
 * searched, the one that a rebuild fills, and the one that a rebuild has left. An earlier mapping is told of.
 */
export async function prepareSearch(deps: RenewDeps): Promise<void> {
  const { elasticsearch, namespace, logger } = deps;
  if (!(await renewSearchIndex(deps))) return;
  const { index, mappingVersion } = await readSearchIndex(elasticsearch, namespace);
  if (mappingVersion === 1) {
    await elasticsearch.indices.putMapping({ index, properties: ADDED_TO_FIRST });
  }
  const generations = await listGenerations(elasticsearch, namespace);
  await elasticsearch.indices.putMapping({
    index: [...new Set([index, ...generations.values()])],
    properties: KEPT_SINCE_THIRD,
  });
  const problem = describeMapping(mappingVersion);
  if (problem) logger.warn({ index, mappingVersion }, problem);
}
