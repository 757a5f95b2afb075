import { bodyNames } from '../../../../shared/store/bodyKinds.js';
import type { Collections } from '../../../../shared/store/collections.js';
import { setMarks } from '../../work/claims.js';
import type { IndexerDeps } from '../../deps.js';
import type { Difference } from '../difference.js';
import { REPAIR } from './cause.js';

/** Has people counted again, and their profiles written. */
export async function countAgain(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const { collections } = deps;
  const userIds = new Set(found.map(({ id }) => id));
  await removeOrphanRanks(collections, found);
  await setMarks(deps, 'person', userIds, REPAIR);
}

/** Lines of leaderboards are found by the rows they belong to: without a row, counting does not meet them. */
async function removeOrphanRanks(
  { ranks, members }: Collections,
  found: Difference[],
): Promise<void> {
  for (const { clue } of found) {
    const member = clue?.member;
    if (member === undefined || (await members.findOne({ _id: member }))) continue;
    await ranks.deleteMany({ member });
  }
}

/** Has servers counted again; what is shown of a server that is not recorded is removed. */
export async function markServers(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const { servers, bodies } = deps.collections;
  for (const { id } of found) {
    if (id === 'all' || (await servers.findOne({ _id: id }))) continue;
    await bodies.deleteMany({ _id: { $in: bodyNames('server', id) } });
  }
  await setMarks(
    deps,
    'server',
    found.map(({ id }) => id),
    REPAIR,
  );
}
