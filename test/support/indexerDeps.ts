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

/** The dependencies of the write side over real stores, without a worker. */
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
    signal: new AbortController().signal,
    links: createServiceLinks({ publicUrl: 'https://archive.example', cdnUrl: null }),
    mirror: null,
    resolvedTags: parseResolvedTags('solved,resolved,answered'),
  };
}

/** Records a thread as an import does, and leaves its mark. */
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

/** The messages of a source, in batches of a size. */
export async function* inBatches(
  messages: SourceMessage[],
  size = messages.length,
): AsyncGenerator<SourceMessage[]> {
  for (let at = 0; at < messages.length; at += size)
    yield await Promise.resolve(messages.slice(at, at + size));
}

/** Ends the claims on a subject, as if its workers had not been heard of for long. */
export async function endLeases({ collections }: IndexerDeps, subject: string): Promise<void> {
  await collections.work.updateMany({ subject }, { $set: { due: AT_ONCE } });
}

/** Has the claims on a subject go on for most of a minute, so that none ends in the middle of a test. */
export async function prolongLeases({ collections }: IndexerDeps, subject: string): Promise<void> {
  const due = new Date(Date.now() + 50_000);
  await collections.work.updateMany({ subject, claim: { $exists: true } }, { $set: { due } });
}

/** The write side of another process, with transactions of its own. */
export function anotherProcess(
  deps: IndexerDeps,
  { mongo }: Pick<TestStores, 'mongo'>,
): IndexerDeps {
  return { ...deps, ...createStoreAccess(mongo, deps.elasticsearch, deps) };
}

/**
 * A process that stops at its first write to the search index, until something has happened. Meanwhile it renews no
 * claim.
 */
export function stalled(deps: IndexerDeps, happens: () => Promise<unknown>): IndexerDeps {
  let isOver = false;
  let isStalled = false;
  const write: IndexerDeps['search']['write'] = async (documents, revision, sent) => {
    if (!isOver) {
      isOver = true;
      isStalled = true;
      // Changes that it has asked for before are carried out first.
      await deps.commit({ reads: {}, decide: () => undefined });
      await happens();
      isStalled = false;
    }
    await deps.search.write(documents, revision, sent);
  };
  const commit: IndexerDeps['commit'] = (change) =>
    isStalled ? Promise.reject(new Error('It is stalled')) : deps.commit(change);
  return { ...deps, commit, search: { ...deps.search, write } };
}

/** Builds a thread, if it is marked. Resolves with false where it is quarantined. */
export function build(deps: IndexerDeps, threadId: string): Promise<boolean> {
  return finish(deps, 'thread', threadId);
}

/** Does all marks, whenever they are due. */
export async function doAll(deps: IndexerDeps): Promise<void> {
  const { work } = deps.collections;
  const isFree = { claim: { $exists: false }, due: { $ne: NEVER } };
  do await work.updateMany(isFree, { $set: { due: AT_ONCE } });
  while ((await runDue(deps)) === true);
}
