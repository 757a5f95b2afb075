import { bodyNames } from '../../../shared/store/bodyKinds.js';
import type { Collections } from '../../../shared/store/collections.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import { bodyOwners, removePieces } from '../../../shared/store/pieces.js';

type Views = Pick<
  Collections,
  'users' | 'contributions' | 'members' | 'ranks' | 'bodies' | 'pieces'
>;

/**
 * Removes everything that is kept by people's ids, tombstones included, but for marks: by one, what a counting process
 * writes meanwhile is found even when it is killed then. Counting ends it.
 */
export async function forgetPeople(views: Views, userIds: string[]): Promise<void> {
  const rows = { userId: { $in: userIds } };
  const profiles = userIds.flatMap((id) => bodyNames('user', id));
  const places: string[][] = await Promise.all([
    views.contributions.distinct('serverId', rows),
    views.members.distinct('serverId', rows),
  ]);
  const named = [...new Set(places.flat())].flatMap((serverId) =>
    userIds.map((id) => `${serverId}/${id}`),
  );
  await Promise.all([
    views.users.deleteMany({ _id: { $in: userIds } }),
    views.contributions.deleteMany(rows),
    views.ranks.deleteMany({ member: { $in: named } }),
    views.members.deleteMany(rows),
    views.bodies.deleteMany({ _id: { $in: profiles } }),
    removePieces(views, profiles.map(bodyOwners)),
  ]);
}

/**
 * Removes what was just written of people who have been erased meanwhile. Called after every write of views that are
 * kept by people's ids: the erasure itself removes what was written before.
 */
export async function forgetErased(
  collections: Views & Pick<Collections, 'erasures' | 'erasureState'>,
  userIds: string[],
): Promise<void> {
  const erased = await erasedPeople(collections);
  const gone = erased.isEmpty ? [] : userIds.filter((id) => erased.has(id));
  if (gone.length > 0) await forgetPeople(collections, gone);
}
