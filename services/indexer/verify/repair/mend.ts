import type { DifferenceKind } from '../../../../shared/contract/verify.js';
import { raiseVersions } from '../../stores/nextVersion.js';
import type { IndexerDeps } from '../../deps.js';
import { settleAndRefresh } from '../../jobs/removal.js';
import type { Difference } from '../difference.js';
import { REPAIR_CAUSE } from './cause.js';
import { eraseAgain } from './eraseAgain.js';
import { countAgain, markServers } from './countAgain.js';
import { removeDeleted } from './removeDeleted.js';
import { finishWaiting, rebuildThreads } from './rebuildThreads.js';
import { removeGhosts } from './removeGhosts.js';
import { forgetUploads, removeOrphans, removeUnneeded } from './removeOrphans.js';
import { searchSimilar } from './searchSimilar.js';

/** Mends differences of one kind. A difference that cannot be mended is found again afterwards. */
type Repair = (deps: IndexerDeps, found: Difference[]) => Promise<void>;

const leave: Repair = () => Promise.resolve();

/** The repair of each kind, in this order: what was deleted comes first, and what is counted comes last. */
const REPAIRS: Record<DifferenceKind, Repair> = {
  'deleted.kept': removeDeleted,
  'erased.kept': eraseAgain,
  'view.orphan': removeOrphans,
  // What people wrote is never removed because its thread is missing, and never hidden because its channel or server
  // is.
  'record.orphan': leave,
  'thread.waiting': rebuildThreads,
  'thread.quarantined': rebuildThreads,
  'thread.wrong': rebuildThreads,
  'thread.shown': rebuildThreads,
  'search.wrong': rebuildThreads,
  'search.shown': removeGhosts,
  'similar.wrong': searchSimilar,
  'person.wrong': countAgain,
  'server.wrong': markServers,
  'upload.missing': forgetUploads,
  'piece.orphan': removeUnneeded,
  // The indexer itself files a lost job again.
  'work.waiting': finishWaiting,
};

/**
 * Repairs differences, then waits until all work that follows from the repairs is done. When the repair of one kind
 * fails, that is logged, and the others are still carried out. Throws when the process stops.
 */
export async function mend(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const byRepair = new Map<Repair, Difference[]>();
  for (const [kind, repair] of Object.entries(REPAIRS)) {
    const own = found.filter((difference) => difference.kind === kind);
    if (own.length > 0) byRepair.set(repair, [...(byRepair.get(repair) ?? []), ...own]);
  }
  await attempt(deps, () => raiseAbove(deps, found));
  for (const [repair, differences] of byRepair) {
    await attempt(deps, () => repair(deps, differences));
  }
  const servers: string[] = await deps.collections.servers.distinct('_id');
  await attempt(deps, () => settleAndRefresh(deps, REPAIR_CAUSE, servers));
  deps.announcer.announce({ everything: true });
}

/**
 * Raises the next version above all versions that are stored of what was found. Whatever a repair then writes, a
 * tombstone or a whole thread, is newer.
 */
async function raiseAbove(
  { collections }: Pick<IndexerDeps, 'collections'>,
  found: Difference[],
): Promise<void> {
  const above = found.reduce((most, { clue }) => Math.max(most, clue?.above ?? 0), 0);
  if (above > 0) await raiseVersions(collections.state, above);
}

async function attempt(
  { logger, signal }: IndexerDeps,
  work: () => Promise<unknown>,
): Promise<void> {
  await work().catch((error: unknown) => {
    // Nothing can be repaired any more. What is left would be reported as if it could not be repaired.
    signal.throwIfAborted();
    logger.error({ err: error }, 'A step of the repair failed');
  });
}
