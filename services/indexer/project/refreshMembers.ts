import type { Filter } from 'mongodb';
import { groupBy } from '../../../shared/platform/groupBy.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { ContributionView, DirtyMark } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../deps.js';
import { same } from '../records/mergeFields.js';
import { nextVersion } from '../stores/nextVersion.js';
import {
  clearMarks,
  dirtyMarks,
  dirtyServer,
  dirtyUser,
  latestOf,
  markDirty,
} from '../stores/dirtyMarks.js';
import { forgetErased } from '../stores/forgetPeople.js';
import { replaceNewer } from '../stores/replaceNewer.js';
import { dayOf } from '../views/tallyPeople.js';
import { countMembers, type CountedMembers } from './countMembers.js';

const BATCH = 200;

/** Counts people's totals on their servers again, and their lines of the leaderboards. Returns how many it did. */
export async function refreshMembers(
  { collections }: IndexerDeps,
  now: Date,
  by?: Date,
): Promise<number> {
  const marks = await dirtyMarks(collections.dirty, 'member', { limit: BATCH, by });
  if (marks.length === 0) return 0;
  const version = await nextVersion(collections.counters);
  const today = dayOf(now);
  const members = marks.map(parseMark);
  const counted = await countMembers(collections, whichOf(marks), { version, today });
  await replaceNewer(collections.members, counted.members, 'version');
  await replaceNewer(collections.ranks, counted.ranks, 'version');
  await removeOlder(
    collections,
    members.map(({ id }) => id),
    version,
  );
  await markDirty(
    collections.dirty,
    members.flatMap(({ serverId, userId }) => [dirtyServer(serverId), dirtyUser(userId)]),
    latestOf(marks),
  );
  await forgetErased(
    collections,
    members.map(({ userId }) => userId),
  );
  const cleared = await clearMarks(collections.dirty, marks);
  if (cleared < marks.length) await markChanged(collections, marks, counted);
  return marks.length;
}

/**
 * Marks those again whose totals are not what was written any more: another process has counted them meanwhile, and may
 * have removed what was then written late. Only those: two that count at once would else never end.
 */
async function markChanged(
  collections: Pick<Collections, 'users' | 'contributions' | 'dirty'>,
  marks: DirtyMark[],
  written: CountedMembers,
): Promise<void> {
  const now = await countMembers(collections, whichOf(marks), written.at);
  const [before, after] = [rowsByMember(written), rowsByMember(now)];
  const changed = marks.filter((mark) => {
    const { id } = parseMark(mark);
    return !same(before.get(id), after.get(id));
  });
  await markDirty(
    collections.dirty,
    changed.map(({ _id }) => _id),
    latestOf(marks),
  );
}

function rowsByMember({ members, ranks }: CountedMembers): Map<string, object[]> {
  return groupBy([...members, ...ranks], (row) => ('member' in row ? row.member : row._id));
}

/** Marks those whose rolling periods were counted on an earlier day. */
export async function markAgedMembers({ collections }: IndexerDeps, now: Date): Promise<void> {
  const aged = await collections.members
    .find({ periodDay: { $lt: dayOf(now) } }, { projection: { _id: 1 } })
    .limit(10_000)
    .toArray();
  await markDirty(
    collections.dirty,
    aged.map(({ _id }) => `member/${_id}`),
  );
}

function parseMark({ _id }: DirtyMark): { id: string; serverId: string; userId: string } {
  const [, serverId = '', userId = ''] = _id.split('/');
  return { id: `${serverId}/${userId}`, serverId, userId };
}

/** The contributions of those who are marked. */
function whichOf(marks: DirtyMark[]): Filter<ContributionView> {
  return { $or: marks.map(parseMark).map(({ serverId, userId }) => ({ serverId, userId })) };
}

/** Rows and lines that were not written this time hold nothing any more. */
async function removeOlder(
  { members, ranks }: Pick<Collections, 'members' | 'ranks'>,
  ids: string[],
  version: number,
): Promise<void> {
  await members.deleteMany({ _id: { $in: ids }, version: { $lt: version } });
  await ranks.deleteMany({ member: { $in: ids }, version: { $lt: version } });
}
