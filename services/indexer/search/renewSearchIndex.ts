import type { Client } from '@elastic/elasticsearch';
import type { Producer } from '../../../shared/jobs/producer.js';
import { requestSearchRebuild } from '../../../shared/jobs/requestSearchRebuild.js';
import type { Logger } from '../../../shared/platform/logger.js';
import type { Collections } from '../../../shared/store/collections.js';
import { RebuildRunning } from '../../../shared/store/searchGenerations.js';
import { ensureSearchIndex, searchAlias } from '../../../shared/store/searchIndex.js';

/** What is needed to notice a lost search index and to ask for a new one. */
export interface RenewDeps {
  elasticsearch: Client;
  namespace: string;
  collections: Pick<Collections, 'state' | 'threads'>;
  producer: Pick<Producer, 'add' | 'refile'>;
  logger: Logger;
}

/**
 * Looks whether there is a search index. An archive without threads gets an empty one. In an archive with threads, a
 * missing index was lost, so a rebuild is asked for. Until the rebuild is complete, searches answer that they are not
 * available. (Over an index that is being filled, they would find nothing.) Resolves with whether there is an index
 * now. Throws what the stores throw.
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
    // The rebuild's job may be lost. Lost jobs are looked for when the queue is idle. It is not idle now, as jobs that
    // need the index are tried again and again.
    const { rebuildId } = error;
    if (rebuildId) await producer.refile('reindex-search', { rebuildId });
  }
  return false;
}
