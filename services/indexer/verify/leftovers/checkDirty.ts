import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { lateSimilar } from '../lateSimilar.js';
import { MOST_LISTED } from './mostListed.js';

/** Marks of what is to be counted or shown again: found twice, nobody does it. */
export async function checkDirty({ deps }: AreaContext): Promise<Difference[]> {
  const { dirty, similarMarks } = deps.collections;
  const marks = [
    ...(await dirty.find().sort({ at: 1 }).limit(MOST_LISTED).toArray()),
    ...(await similarMarks
      .find({ $or: [{ kind: 'shown' }, lateSimilar()] })
      .limit(MOST_LISTED)
      .toArray()),
  ];
  return marks.map(({ _id, token, at }) => ({
    kind: 'work.waiting',
    id: _id,
    detail: `Marked ${at.toISOString()}`,
    basis: token,
  }));
}
