import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { personDifference } from '../people/peopleArea.js';
import { MOST_LISTED } from '../mostListed.js';

/** Looks for lines of leaderboards whose person has no row on that server. No other check finds them. */
export async function checkOrphanRanks({ deps }: AreaContext): Promise<Difference[]> {
  const { ranks, members } = deps.collections;
  const found: Difference[] = [];
  const rows = members.find({}, { projection: { _id: 1 }, sort: { _id: 1 }, batchSize: 5_000 });
  const lines = ranks
    .find({}, { projection: { member: 1 }, sort: { member: 1 }, batchSize: 5_000 })
    .hint('member');
  let row = await rows.next();
  for await (const { _id, member } of lines) {
    while (row !== null && row._id < member) row = await rows.next();
    if (row?._id === member) continue;
    const userId = _id.slice(_id.lastIndexOf('/') + 1);
    found.push({ ...personDifference(userId, `Line ${_id} must not be`), clue: { line: _id } });
    if (found.length >= MOST_LISTED) break;
  }
  await rows.close();
  return found;
}
