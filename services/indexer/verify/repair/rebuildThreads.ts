import { forEachAtOnce } from '../../../../shared/platform/forEachAtOnce.js';
import { setMarks } from '../../work/claims.js';
import type { IndexerDeps } from '../../deps.js';
import { raiseVersions } from '../../stores/nextVersion.js';
import { finish, settled } from '../../work/runMarks.js';
import type { Difference } from '../difference.js';
import { REPAIR, REPAIR_CAUSE } from './cause.js';

/**
 * Builds threads again, with a version above all versions that are stored of them. A thread that cannot be built is
 * quarantined.
 */
export async function rebuildThreads(deps: IndexerDeps, found: Difference[]): Promise<void> {
  await raiseAbove(deps, found);
  const ids = [...new Set(found.map(({ id }) => id))];
  await setMarks(deps, 'thread', ids, { ...REPAIR, whole: true });
  await settled(deps, REPAIR_CAUSE, undefined, { kind: 'thread' });
}

/** Raises the next version above all versions that are stored of what was found. */
export async function raiseAbove(
  { collections }: Pick<IndexerDeps, 'collections'>,
  found: Difference[],
): Promise<void> {
  const above = found.reduce((most, { clue }) => Math.max(most, clue?.above ?? 0), 0);
  if (above > 0) await raiseVersions(collections.state, above);
}

/** How many marks that have waited are done at the same time. */
const MOST_AT_ONCE = 8;

/**
 * Does marks that have waited too long. Each mark is first set again with the cause of the repair, so that the repair
 * also waits for the work that follows.
 */
export async function finishWaiting(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const ids = found.map(({ id }) => id);
  const marks = await deps.collections.work.find({ _id: { $in: ids } }).toArray();
  await forEachAtOnce(marks, MOST_AT_ONCE, async ({ kind, subject }) => {
    if (kind === 'file' || kind === 'document') return;
    await setMarks(deps, kind, [subject], REPAIR);
    await finish(deps, kind, subject);
  });
}
