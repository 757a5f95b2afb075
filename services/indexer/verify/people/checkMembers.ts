import { memberView } from '../../views/memberViews.js';
import { differingFields } from '../differingFields.js';
import type { Difference } from '../difference.js';
import type { PeopleCheck } from './personLook.js';

/** People's totals on each server, added up again from their contributions. */
export const checkMembers: PeopleCheck = ({ users, totals, members, today, tally }) => {
  const expected = new Set<string>();
  const found: Difference[] = [];
  for (const [userId, { servers }] of totals) {
    const user = users.get(userId);
    for (const one of user ? servers : []) {
      const view = memberView(one, user!, 0, today);
      expected.add(view._id);
      const stored = members.get(view._id);
      const fields = stored ? differingFields(stored, view, ['version']) : [];
      if (!stored) found.push(differs('member.missing', view._id, 'No row', ''));
      else if (fields.length > 0) {
        const detail = `In ${fields.join(', ')}`;
        found.push(differs('member.wrong', view._id, detail, JSON.stringify([stored, view])));
      }
    }
  }
  tally('members', members.size);
  const ghosts = [...members.keys()].filter((id) => !expected.has(id));
  return Promise.resolve([
    ...found,
    ...ghosts.map((id) => differs('member.ghost', id, 'A row', '')),
  ]);
};

function differs(
  kind: Difference['kind'],
  member: string,
  detail: string,
  basis: string,
): Difference {
  const [serverId = '', userId = ''] = member.split('/');
  const clue = { member };
  return { kind, id: userId, detail: `${detail} on server ${serverId}`, basis, clue };
}
