import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import { findRebuild } from '../../../shared/store/searchGenerations.js';
import { listGenerations } from '../../../shared/store/searchIndex.js';
import { stateOf } from '../../../shared/store/state.js';
import { RebuildFailed } from '../permanentErrors.js';
import type { IndexerDeps } from '../deps.js';
import { recordRefusals } from '../quarantine/recordRefusals.js';
import { createSearchWriter, type SearchWriter } from '../stores/searchWriter.js';
import { checkGeneration, WrongGeneration } from './checkGeneration.js';
import {
  createGeneration,
  dropGenerations,
  indexExists,
  liveIndex,
  swapGenerations,
} from './generations.js';
import { scanThreads, suspectNext, writePending } from './scanThreads.js';
import { RebuildTaken, takeRebuild, type RebuildRecord } from './rebuildRecord.js';

/** The result of a rebuild, for the log. */
export type RebuildOutcome =
  | { state: 'done'; index: string; threads: number; documents: number; mended: number }
  | { state: 'replaced' };

/** How long (ms) the old index is kept and written to. Until then, one change of the alias brings it back. */
export const ROLLBACK_WINDOW_MS = 60 * 60_000;

/**
 * Builds a new search index from the records, and moves the alias to it. Until then, the old index is searched. If it
 * was lost, nothing can be searched. After a crash, a rebuild goes on where it was. docs/search.md says why nothing is
 * missing or stale once the alias was moved.
 */
export async function reindexSearch(
  deps: IndexerDeps,
  { rebuildId }: JobPayloads['reindex-search'],
): Promise<RebuildOutcome> {
  const record = await takeRebuild(stateOf(deps.collections.state, 'search'), rebuildId);
  if (!record) return ended(deps, rebuildId);
  try {
    await rebuild(deps, record);
    const { to = '', threads, documents, mended } = record.current();
    return { state: 'done', index: to, threads, documents, mended };
  } catch (error) {
    if (error instanceof RebuildTaken) return { state: 'replaced' };
    if (error instanceof WrongGeneration) return await giveUp(deps, record, error);
    throw error;
  } finally {
    record.release();
  }
}

async function rebuild(deps: IndexerDeps, record: RebuildRecord): Promise<void> {
  const live = await liveIndex(deps);
  if (live === undefined || live !== record.current().to) {
    await begin(deps, record, live);
    faultPoint('rebuildCreated');
    await fill(deps, record);
    const index = record.current().to!;
    // From the swap on, everything that was written must be found.
    await deps.elasticsearch.indices.refresh({ index });
    await swapGenerations(deps, live, index);
    faultPoint('rebuildSwapped');
  }
  await finish(record);
}

/**
 * Drops what earlier rebuilds left, creates the new index, and has every writer write to it. Where that was done before
 * a crash, it keeps the new index, and builds the threads of the batch in which the scan was cut off.
 */
async function begin(
  deps: IndexerDeps,
  record: RebuildRecord,
  live: string | undefined,
): Promise<void> {
  const { from, to } = record.current();
  if (to !== undefined && from === live && (await indexExists(deps, to))) {
    return suspectNext(deps, record);
  }
  const known = await listGenerations(deps.elasticsearch, deps.namespace);
  const generation = Math.max(record.lastGeneration, ...known.keys()) + 1;
  const start = { phase: 'scan', cursor: '', threads: 0, documents: 0, mended: 0 } as const;
  // Another process that takes the rebuild over creates an index with a later number. So it is none of the known ones.
  await record.save({ ...start, from: live, to: undefined }, { targets: [], generation });
  await dropGenerations(
    deps,
    live,
    [...known.values()].filter((index) => index !== live),
  );
  const created = await createGeneration(deps, live, generation);
  const totalThreads = await deps.collections.threads.estimatedDocumentCount();
  await record.save(
    { to: created, totalThreads },
    { targets: live === undefined ? [created] : [live, created] },
  );
}

/**
 * Writes every thread to the new index, and then every thread that is still marked. Then compares all with the views.
 */
async function fill(deps: IndexerDeps, record: RebuildRecord): Promise<void> {
  const index = record.current().to!;
  const refused = new Set<string>();
  const search = writerTo(deps, index, (threadId) => refused.add(threadId));
  await scanThreads(deps, search, record);
  await record.save({ phase: 'verify' });
  const mended = await checkGeneration(deps, index, search, refused);
  faultPoint('rebuildChecked');
  // A worker may have written to the old index alone. In this case it has not taken its thread's mark away.
  await writePending(deps, search);
  await record.save({ phase: 'swap', mended });
}

function writerTo(
  { elasticsearch, namespace, commit, logger }: IndexerDeps,
  index: string,
  onRefused: (threadId: string) => void,
): SearchWriter {
  const targets = { namespace, readTargets: () => Promise.resolve([index]) };
  return createSearchWriter(elasticsearch, targets, async (refusals) => {
    for (const { threadId } of refusals) onRefused(threadId);
    await recordRefusals({ commit, logger }, refusals);
  });
}

async function finish(record: RebuildRecord): Promise<void> {
  const { from, to } = record.current();
  const done = { state: 'done', phase: 'done', finishedAt: new Date() } as const;
  if (from === undefined) return record.save(done, { targets: [] });
  const until = new Date(Date.now() + ROLLBACK_WINDOW_MS);
  await record.save(done, { targets: [to!, from], retained: { index: from, until } });
}

/** Drops a new index that is wrong. It is not built once more, as the result would be the same. */
async function giveUp(deps: IndexerDeps, record: RebuildRecord, cause: Error): Promise<never> {
  const { from, to } = record.current();
  const { message } = cause;
  await record.save({ state: 'failed', error: message, finishedAt: new Date() }, { targets: [] });
  await dropGenerations(deps, from, [to!]);
  throw new RebuildFailed(message, { cause });
}

/** The outcome of a rebuild that is not to be run any more. Where giving up was cut off by a crash, it is completed. */
async function ended(deps: IndexerDeps, id: string): Promise<RebuildOutcome> {
  const { state, from, to, error } = (await findRebuild(deps.collections, id)) ?? {};
  if (state !== 'failed' || to === undefined) return { state: 'replaced' };
  if (await indexExists(deps, to)) await dropGenerations(deps, from, [to]);
  throw new RebuildFailed(error);
}
