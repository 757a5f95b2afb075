import type { Filter } from 'mongodb';
import { batches } from '../../../shared/platform/batches.js';
import { quarantineId } from '../../../shared/store/quarantine.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import { showUntil } from '../similar/refreshSimilar.js';
import { ENDED } from '../quarantine/guardBuild.js';
import { MOST_TRIES, QUARANTINED } from '../quarantine/tries.js';
import { slices } from '../records/slices.js';
import { raiseRevision } from '../records/threadRevision.js';
import { dirtyServer, markDirty } from '../stores/dirtyMarks.js';
import { countServers } from './refreshServers.js';
import { unlistThread, projectThread } from './projectThread.js';
import { countPeople } from './sweep.js';

const AT_ONCE = 8;

/**
 * Resolves when what was changed can be read everywhere: those threads are built, also where others show them as
 * similar or link to them or to those channels, everything is counted again, the servers' cached statistics are dropped
 * and search shows it. Very many threads are told by several filters.
 */
export async function settle(
  deps: IndexerDeps,
  threads: Filter<ThreadRecord> | Filter<ThreadRecord>[],
  serverIds: string[],
  channelIds: string[] = [],
): Promise<void> {
  const filters = [threads].flat();
  // First of all, and again: should a build fail, or end the process, nobody may come back for these.
  for (const filter of filters) await unlistTried(deps, filter);
  for (const filter of filters) await unlistQuarantined(deps, filter);
  for (const filter of filters) await buildAll(deps, filter);
  for (const filter of filters) await buildLinking(deps, filter);
  for (const some of slices(channelIds)) await buildLinkingTo(deps, some);
  await showUntil(deps, new Date());
  await markDirty(deps.collections.dirty, serverIds.map(dirtyServer));
  await countPeople(deps, new Date());
  // The servers themselves: their marks are set again all the time while anything is imported there.
  await countServers(deps, serverIds);
  for (const serverId of serverIds) await deps.announcer.dropStats(serverId);
  await deps.elasticsearch.indices.refresh({ index: searchAlias(deps.namespace) });
}

async function buildAll(deps: IndexerDeps, filter: Filter<ThreadRecord>): Promise<void> {
  await projectPending(deps, filter);
  await unlistQuarantined(deps, filter);
}

/** The same for threads that show the titles of those of some that were deleted, or whose titles were erased. */
async function buildLinking(deps: IndexerDeps, filter: Filter<ThreadRecord>): Promise<void> {
  const gone = { $or: [{ deleted: true }, { redactedTitles: { $exists: true } }] };
  const renamed = deps.collections.threads.find({ $and: [filter, gone] } as Filter<ThreadRecord>, {
    projection: { _id: 1 },
  });
  for await (const batch of batches(renamed)) await buildLinkingTo(deps, idsOf(batch));
}

/** However many link to one: refreshLinks has marked them. */
async function buildLinkingTo(deps: IndexerDeps, targetIds: string[]): Promise<void> {
  const linking = deps.collections.threadItems.find(
    { linksTo: { $in: targetIds } },
    { projection: { _id: 1 } },
  );
  for await (const batch of batches(linking)) await buildAll(deps, { _id: { $in: idsOf(batch) } });
}

function idsOf(documents: { _id: string }[]): string[] {
  return documents.map(({ _id }) => _id);
}

/** Builds those of some threads that are pending, until none is. */
async function projectPending(deps: IndexerDeps, filter: Filter<ThreadRecord>): Promise<void> {
  const { threads } = deps.collections;
  const pending = { $and: [filter, { pending: { $exists: true } }] } as Filter<ThreadRecord>;
  for (;;) {
    const some = await threads
      .find(pending, { projection: { _id: 1 } })
      .limit(AT_ONCE)
      .toArray();
    if (some.length === 0) return;
    await Promise.all(some.map(({ _id }) => projectThread(deps, _id)));
  }
}

/** The one try of a revision that came after a thread was set aside may end the process; hiding takes its mark away. */
async function unlistTried(deps: IndexerDeps, filter: Filter<ThreadRecord>): Promise<void> {
  const { threads } = deps.collections;
  const waiting = { tries: { $gte: MOST_TRIES }, pending: { $exists: true } };
  const tried = await threads
    .find({ $and: [filter, waiting] } as Filter<ThreadRecord>, { projection: { _id: 1 } })
    .toArray();
  for (const { _id } of tried) {
    await unlistThread(deps, _id);
    await raiseRevision(threads, _id);
  }
}

/** What was set aside keeps its last views, and they may hold what is to go. */
async function unlistQuarantined(deps: IndexerDeps, filter: Filter<ThreadRecord>): Promise<void> {
  const aside = await deps.collections.threads
    .find({ $and: [filter, QUARANTINED] } as Filter<ThreadRecord>, { projection: { _id: 1 } })
    .toArray();
  for (const { _id } of aside) {
    await unlistThread(deps, _id);
    // What was said of the failure may quote what is to go.
    await deps.collections.quarantine.updateOne(
      { _id: quarantineId('thread', _id), reason: { $ne: ENDED } },
      { $set: { reason: 'It could not be built, and is not shown any more' } },
    );
  }
}
