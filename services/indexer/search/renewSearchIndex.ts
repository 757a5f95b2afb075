import type { Client } from '@elastic/elasticsearch';
import type { Producer } from '../../../shared/jobs/producer.js';
import { requestSearchRebuild } from '../../../shared/jobs/requestSearchRebuild.js';
import type { Logger } from '../../../shared/platform/logger.js';
import type { Collections } from '../../../shared/store/collections.js';
import { RebuildRunning } from '../../../shared/store/searchGenerations.js';
import { ensureSearchIndex, searchAlias } from '../../../shared/store/searchIndex.js';
import { stateOf } from '../../../shared/store/state.js';

/** What a lost search index is noticed and renewed with. */
export interface RenewDeps {
  elasticsearch: Client;
  namespace: string;
  collections: Pick<Collections, 'state' | 'threads'>;
  producer: Pick<Producer, 'add' | 'refile'>;
  logger: Logger;
}

/**
 * Makes the search index of an archive that holds no threads yet. Where there are threads, a missing index was lost:
 * then a rebuild is asked for, which puts a new index in its place once it is complete. Until then searches answer that
 * they are not available; over an index that is being filled they would say that nothing is found. Resolves with
 * whether there is an index. Throws what the stores throw.
 */
export async function renewSearchIndex(deps: RenewDeps): Promise<boolean> {
  const { elasticsearch, namespace, collections, producer, logger } = deps;
  if (await elasticsearch.indices.existsAlias({ name: searchAlias(namespace) })) return true;
  if (!(await collections.threads.findOne({}, { projection: { _id: 1 } }))) {
    await ensureSearchIndex(elasticsearch, namespace);
    return true;
  }
  try {
    await requestSearchRebuild(collections, producer);
    logger.warn('The search index is lost: it is built again from the records');
  } catch (error) {
    if (!(error instanceof RebuildRunning)) throw error;
    // Its job may be lost, while all that waits for the index keeps the queue busy.
    const search = await stateOf(collections.state, 'search').findOne({ _id: 'search' });
    const rebuildId = search?.rebuild?.id;
    if (rebuildId) await producer.refile('reindex-search', { rebuildId });
  }
  return false;
}
