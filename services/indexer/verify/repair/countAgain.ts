import type { Collections } from '../../../../shared/store/collections.js';
import { slices } from '../../records/slices.js';
import { setMarks } from '../../work/claims.js';
import type { IndexerDeps } from '../../deps.js';
import type { Difference } from '../difference.js';
import { REPAIR } from './cause.js';

/** Marks people, so that they are counted again and their profiles are written. */
export async function countAgain(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const { collections } = deps;
  const userIds = new Set(found.map(({ id }) => id));
  await removeOrphanRanks(collections, found);
  await setMarks(deps, 'person', userIds, REPAIR);
}

/**
 * Removes lines of leaderboards whose member has no row. Counting a person finds lines only by the rows of that person,
 * so it would not remove these.
 */
async function removeOrphanRanks(
  { ranks, members }: Collections,
  found: Difference[],
): Promise<void> {
  for (const some of slices(found.flatMap(({ clue }) => clue?.member ?? []))) {
    const there = new Set(await members.distinct('_id', { _id: { $in: some } }));
    await ranks.deleteMany({ member: { $in: some.filter((member) => !there.has(member)) } });
  }
}

/** Marks servers, so that they are counted again. This removes the bodies of a server that is not recorded. */
export async function markServers(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const ids = found.map(({ id }) => id);
  await setMarks(deps, 'server', ids, REPAIR);
}
