import type { RankView } from '../../../../shared/store/views.js';
import { rankViews } from '../../views/memberViews.js';
import { differingFields } from '../differingFields.js';
import type { Difference } from '../difference.js';
import type { PeopleCheck } from './personLook.js';

/** People's lines of the leaderboards, from totals that were added up again. */
export const checkRanks: PeopleCheck = ({ users, totals, ranks, today, tally }) => {
  const found: Difference[] = [];
  const expected = new Set<string>();
  for (const [userId, { servers }] of totals) {
    const user = users.get(userId);
    const lines = user ? servers.flatMap((one) => rankViews(one, user, 0, today)) : [];
    for (const line of lines) {
      expected.add(line._id);
      found.push(...judgeLine(userId, line, ranks.get(line._id)));
    }
  }
  tally('ranks', ranks.size);
  const ghosts = [...ranks.values()].filter(({ _id }) => !expected.has(_id));
  return Promise.resolve([...found, ...ghosts.map(ghostLine)]);
};

/** A line of a leaderboard that should not be. */
export function ghostLine({ _id, member }: Pick<RankView, '_id' | 'member'>): Difference {
  const id = member.split('/')[1] ?? '';
  return { kind: 'rank.ghost', id, detail: `On ${_id}`, basis: '', clue: { member } };
}

function judgeLine(userId: string, line: RankView, stored: RankView | undefined): Difference[] {
  const clue = { member: line.member };
  if (!stored) {
    return [{ kind: 'rank.missing', id: userId, detail: `On ${line._id}`, basis: '', clue }];
  }
  const fields = differingFields(stored, line, ['version']);
  if (fields.length === 0) return [];
  const detail = `On ${line._id}: ${stored.count}, counted ${line.count} (${fields.join(', ')})`;
  return [{ kind: 'rank.wrong', id: userId, detail, basis: stored.key + stored.item, clue }];
}
