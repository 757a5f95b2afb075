import type { Client } from '@elastic/elasticsearch';
import type { Producer } from '../../../shared/jobs/producer.js';
import { requestSearchRebuild } from '../../../shared/jobs/requestSearchRebuild.js';
import type { Logger } from '../../../shared/platform/logger.js';
import type { Collections } from '../../../shared/store/collections.js';
import { RebuildRunning } from '../../../shared/store/searchGenerations.js';
import { ensureSearchIndex, searchAlias } from '../../../shared/store/searchIndex.js';

/** What a lost search index is noticed and renewed with. */
export interface RenewDeps {
  elasticsearch: Client;
  namespace: string;
  collections: Pick<Collections, 'state' | 'threads'>;
  producer: Pick<Producer, 'add'>;
  logger: Logger;
}

/**
 * Makes the search index where there is none. If the archive holds threads, the index was lost. Then a rebuild is asked
 * for first, so that whoever sees an index also sees that it is being filled. Throws what the stores throw.
 */
export async function renewSearchIndex(deps: RenewDeps): Promise<void> {
  const { elasticsearch, namespace, collections, producer, logger } = deps;
  if (await elasticsearch.indices.existsAlias({ name: searchAlias(namespace) })) return;
  if (await collections.threads.findOne({}, { projection: { _id: 1 } })) {
    await requestSearchRebuild(collections, producer).catch((error: unknown) => {
      if (!(error instanceof RebuildRunning)) throw error;
    });
    logger.warn('The search index is lost: it is built again from the records');
  }
  await ensureSearchIndex(elasticsearch, namespace);
}
