import { createAnnouncer } from '../../services/indexer/stores/announcer.js';
import { recordRefusals } from '../../services/indexer/quarantine/recordRefusals.js';
import { createSearchWriter, targetsOf } from '../../services/indexer/stores/searchWriter.js';
import { parseResolvedTags } from '../../services/indexer/views/threadModel.js';
import { applyMessages } from '../../services/indexer/records/applyMessages.js';
import { applySource } from '../../services/indexer/records/applySource.js';
import { raiseRevision } from '../../services/indexer/records/threadRevision.js';
import type { IndexerDeps } from '../../services/indexer/deps.js';
import { refreshDirty } from '../../services/indexer/project/sweep.js';
import type { SourceMessage, SourceThread } from '../../shared/store/records.js';
import type { TestStores } from './stores.js';

/** The write side's dependencies over real stores, without its worker. */
export function indexerDeps({
  mongo,
  elasticsearch,
  redis,
  logger,
}: Pick<TestStores, 'mongo' | 'elasticsearch' | 'redis' | 'logger'>): IndexerDeps {
  return {
    collections: mongo.collections,
    search: createSearchWriter(elasticsearch, targetsOf(mongo), (refusals) =>
      recordRefusals({ collections: mongo.collections, logger }, refusals),
    ),
    elasticsearch,
    namespace: mongo.namespace,
    announcer: createAnnouncer(redis, mongo.namespace, logger),
    logger,
    resolvedTags: parseResolvedTags('solved,resolved,answered'),
  };
}

/** Records a thread as an import would, and leaves its mark. */
export async function record(
  deps: IndexerDeps,
  source: SourceThread,
  messages: SourceMessage[],
): Promise<void> {
  await applySource(deps.collections, source);
  const threadId = source.thread!._id;
  if (await applyMessages(deps.collections, threadId, messages)) {
    await raiseRevision(deps.collections.threads, threadId);
  }
}

/** Counts until nothing is dirty any more. */
export async function refreshAll(deps: IndexerDeps, now = new Date()): Promise<void> {
  while (await refreshDirty(deps, { now })) continue;
}
