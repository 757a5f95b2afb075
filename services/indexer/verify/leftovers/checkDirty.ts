import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';

const MOST_LISTED = 1_000;
/** While files are imported, similar threads are looked for this late at most, and some more. */
const SIMILAR_AFTER_MS = 20 * 60_000;

/** Marks of what is to be counted or shown again: found twice, nobody does it. */
export async function checkDirty({ deps }: AreaContext): Promise<Difference[]> {
  const { dirty, similarMarks } = deps.collections;
  const late = { kind: 'similar' as const, at: { $lt: new Date(Date.now() - SIMILAR_AFTER_MS) } };
  const marks = [
    ...(await dirty.find().sort({ at: 1 }).limit(MOST_LISTED).toArray()),
    ...(await similarMarks
      .find({ $or: [{ kind: 'shown' }, late] })
      .limit(MOST_LISTED)
      .toArray()),
  ];
  return marks.map(({ _id, token, at }) => ({
    kind: 'mark.dirty',
    id: _id,
    detail: `Marked ${at.toISOString()}`,
    basis: token,
  }));
}
