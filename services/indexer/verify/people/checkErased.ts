import { erasedForGood } from '../erasedForGood.js';
import type { PeopleCheck } from './personLook.js';

/** Nothing is kept by the id of somebody who was erased. */
export const checkErased: PeopleCheck = async ({ deps, users, totals, members }) => {
  const isErased = await erasedForGood(deps.collections);
  const ids = [
    ...users.keys(),
    ...totals.keys(),
    ...[...members.values()].map(({ userId }) => userId),
  ];
  return [...new Set(ids)].filter(isErased).map((id) => ({
    ...{ kind: 'erased.kept', id, detail: 'Among those who are counted', basis: '' },
    clue: { userId: id },
  }));
};
