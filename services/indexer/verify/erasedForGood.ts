import { erasedPeople } from '../../../shared/store/erasures.js';
import type { Collections } from '../../../shared/store/collections.js';

/** Tells whether somebody has been erased; not while that is still being done. */
export async function erasedForGood(
  collections: Pick<Collections, 'erasures' | 'erasureState'>,
): Promise<(userId: string) => boolean> {
  const erased = await erasedPeople(collections);
  if (erased.isEmpty) return () => false;
  const underWay = await collections.erasures
    .find({ userId: { $exists: true } }, { projection: { userId: 1 } })
    .toArray();
  const waiting = new Set(underWay.map(({ userId }) => userId));
  return (userId) => erased.has(userId) && !waiting.has(userId);
}
