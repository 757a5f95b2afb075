import type { DifferenceKind } from '../../../../shared/contract/verify.js';
import type { IndexerDeps } from '../../deps.js';
import { refreshDirty, sweepPending } from '../../project/sweep.js';
import { settle } from '../../project/settle.js';
import { refreshSimilar } from '../../similar/refreshSimilar.js';
import type { Difference } from '../difference.js';
import { lateSimilar } from '../lateSimilar.js';
import { eraseAgain } from './eraseAgain.js';
import { countAgain, markServers } from './countAgain.js';
import { removeDeleted } from './removeDeleted.js';
import { rebuildThreads } from './rebuildThreads.js';
import { removeGhosts } from './removeGhosts.js';
import { forgetUploads, removeOrphans, removeUnneeded } from './removeOrphans.js';
import { searchSimilar } from './searchSimilar.js';

/** Mends some differences of one kind; what cannot be mended is found again afterwards. */
export type Repair = (deps: IndexerDeps, found: Difference[]) => Promise<void>;

const leave: Repair = () => Promise.resolve();

/** What is done about each kind, in this order: what was deleted first, what is counted last. */
const REPAIRS: Record<DifferenceKind, Repair> = {
  'deleted.kept': removeDeleted,
  'erased.kept': eraseAgain,
  'view.orphan': removeOrphans,
  // Words are never thrown away because their thread is missing, nor hidden because its channel or server is.
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
  // What is marked is done below, as after every repair; a job that is lost is filed again by the indexer.
  'work.waiting': leave,
};

/** A mark that was set for the sweep alone counts as older. */
const FOR_THE_SWEEP_MS = 60_000;

/** Mends what differs, as far as it can, and brings what follows from it to its end. Never throws for one difference. */
export async function mend(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const byRepair = new Map<Repair, Difference[]>();
  for (const [kind, repair] of Object.entries(REPAIRS)) {
    const own = found.filter((difference) => difference.kind === kind);
    if (own.length > 0) byRepair.set(repair, [...(byRepair.get(repair) ?? []), ...own]);
  }
  for (const [repair, differences] of byRepair) {
    await attempt(deps, () => repair(deps, differences));
  }
  await attempt(deps, async () => {
    while (await sweepPending(deps, FOR_THE_SWEEP_MS)) continue;
  });
  // Every server, whether it is marked or not; then marks that this does not wait for.
  const servers: string[] = await deps.collections.servers.distinct('_id');
  await attempt(deps, () => settle(deps, { _id: { $in: [] } }, servers));
  const by = new Date();
  await attempt(deps, async () => {
    while (await refreshDirty(deps, { by })) continue;
  });
  const late = lateSimilar();
  await attempt(deps, async () => {
    while (await deps.collections.similarMarks.findOne(late)) await refreshSimilar(deps);
  });
  deps.announcer.announce({ everything: true });
}

async function attempt({ logger }: IndexerDeps, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => {
    logger.error({ err: error }, 'A difference was not mended');
  });
}
