import type { Collections } from '../../../../shared/store/collections.js';
import { slices } from '../../records/slices.js';
import { setMarks } from '../../work/claims.js';
import type { IndexerDeps } from '../../deps.js';
import type { Difference } from '../difference.js';
import { REPAIR } from './cause.js';

/**
 * Removes rows of people and lines of leaderboards that must not be. Then it marks people, so that they are counted
 * again and their profiles are written. A row that has become right meanwhile is made again by that count.
 */
export async function countAgain(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const { collections } = deps;
  const userIds = new Set(found.map(({ id }) => id));
  await removeStrays(collections, found);
  await setMarks(deps, 'person', userIds, REPAIR);
}

async function removeStrays({ ranks, members }: Collections, found: Difference[]): Promise<void> {
  for (const some of slices(found.flatMap(({ clue }) => clue?.member ?? []))) {
    await members.deleteMany({ _id: { $in: some } });
  }
  for (const some of slices(found.flatMap(({ clue }) => clue?.line ?? []))) {
    await ranks.deleteMany({ _id: { $in: some } });
  }
}

/** Marks servers, so that they are counted again. This removes the bodies of a server that is not recorded. */
export async function markServers(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const ids = found.map(({ id }) => id);
  await setMarks(deps, 'server', ids, REPAIR);
}
