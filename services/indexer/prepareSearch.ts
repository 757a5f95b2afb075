import type { Client } from '@elastic/elasticsearch';
import type { Logger } from '../../shared/platform/logger.js';
import {
  describeMapping,
  ensureSearchIndex,
  readSearchIndex,
} from '../../shared/store/searchIndex.js';

/** Makes the search index where there is none, and says when it is not of this version. */
export async function prepareSearch(
  elasticsearch: Client,
  namespace: string,
  logger: Logger,
): Promise<void> {
  await ensureSearchIndex(elasticsearch, namespace);
  const { index, mappingVersion } = await readSearchIndex(elasticsearch, namespace);
  const problem = describeMapping(mappingVersion);
  if (problem) logger.warn({ index, mappingVersion }, problem);
}
