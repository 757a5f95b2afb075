import { createAnnouncer } from '../../services/indexer/stores/announcer.js';
import { createStoreAccess } from '../../services/indexer/stores/storeAccess.js';
import { createServiceLinks } from '../../services/indexer/views/serviceLinks.js';
import { parseResolvedTags } from '../../services/indexer/views/threadModel.js';
import { ingest, type Ingested } from '../../services/indexer/ingest/ingest.js';
import type { IndexerDeps } from '../../services/indexer/deps.js';
import { finish, runDue } from '../../services/indexer/work/runMarks.js';
import type { SourceMessage, SourceThread } from '../../shared/store/records.js';
import { FAILED } from '../../shared/store/quarantine.js';
import { AT_ONCE, NEVER, type Failure } from '../../shared/store/work.js';
import type { TestStores } from './stores.js';

/** The write side's dependencies over real stores, without its worker. */
export function indexerDeps({
  mongo,
  elasticsearch,
  redis,
  logger,
}: Pick<TestStores, 'mongo' | 'elasticsearch' | 'redis' | 'logger'>): IndexerDeps {
  return {
    ...createStoreAccess(mongo, elasticsearch, { logger }),
    elasticsearch,
    namespace: mongo.namespace,
    announcer: createAnnouncer(redis, mongo.namespace, logger),
    logger,
    links: createServiceLinks({ publicUrl: 'https://archive.example', cdnUrl: null }),
    mirror: null,
    resolvedTags: parseResolvedTags('solved,resolved,answered'),
  };
}

/** Records a thread as an import would, and leaves its mark. */
export async function record(
  deps: IndexerDeps,
  source: SourceThread,
  messages: SourceMessage[] = [],
): Promise<Ingested> {
  return ingest(deps, { told: source }, inBatches(messages));
}

/** What is quarantined, as the API lists it. */
export async function quarantined({ collections }: IndexerDeps): Promise<Failure[]> {
  const marks = await collections.work.find(FAILED).sort({ 'failure.id': 1 }).toArray();
  return marks.flatMap(({ failure }) => failure ?? []);
}

/** Messages as a source tells them: so many at once. */
export async function* inBatches(
  messages: SourceMessage[],
  size = messages.length,
): AsyncGenerator<SourceMessage[]> {
  for (let at = 0; at < messages.length; at += size)
    yield await Promise.resolve(messages.slice(at, at + size));
}

/** Ends the claims of whoever works on a subject, as if nothing had been heard of them for long. */
export async function endLeases({ collections }: IndexerDeps, subject: string): Promise<void> {
  await collections.work.updateMany({ subject }, { $set: { due: AT_ONCE } });
}

/** The write side of another process: with transactions of its own. */
export function anotherProcess(
  deps: IndexerDeps,
  { mongo }: Pick<TestStores, 'mongo'>,
): IndexerDeps {
  return { ...deps, ...createStoreAccess(mongo, deps.elasticsearch, deps) };
}

/** A process that stands still when it first writes to the search index, while something happens. */
export function stalled(deps: IndexerDeps, happens: () => Promise<unknown>): IndexerDeps {
  let isOver = false;
  const write: IndexerDeps['search']['write'] = async (documents, revision, sent) => {
    if (!isOver) {
      isOver = true;
      await happens();
    }
    await deps.search.write(documents, revision, sent);
  };
  return { ...deps, search: { ...deps.search, write } };
}

/** Builds a thread, if it is marked. Resolves with false when it is quarantined. */
export function build(deps: IndexerDeps, threadId: string): Promise<boolean> {
  return finish(deps, 'thread', threadId);
}

/** Does everything that is marked, whenever it is due. */
export async function doAll(deps: IndexerDeps): Promise<void> {
  const { work } = deps.collections;
  const isFree = { claim: { $exists: false }, due: { $ne: NEVER } };
  do await work.updateMany(isFree, { $set: { due: AT_ONCE } });
  while ((await runDue(deps)) === true);
}
