import type { Collections } from '../../../shared/store/collections.js';
import type { DirtyMark, MemberView } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../deps.js';
import { same } from '../records/mergeFields.js';
import { nextVersion } from '../stores/nextVersion.js';
import {
  clearMarks,
  dirtyMarks,
  dirtyMember,
  dirtyServer,
  dirtyUser,
  latestOf,
  markDirty,
} from '../stores/dirtyMarks.js';
import { forgetErased } from '../stores/forgetPeople.js';
import { replaceNewer } from '../stores/replaceNewer.js';
import { firstDayOf, memberView, rankViews, type MemberTotals } from '../views/memberViews.js';
import { dayOf } from '../views/tallyPeople.js';

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
  const totals = await addUp(collections, members, today);
  const users = await collections.users
    .find({ _id: { $in: members.map(({ userId }) => userId) } })
    .toArray();
  const userById = new Map(users.map((user) => [user._id, user]));
  const present = totals.filter(({ userId }) => userById.has(userId));
  await replaceNewer(
    collections.members,
    present.map((one) => memberView(one, userById.get(one.userId)!, version, today)),
    'version',
  );
  await replaceNewer(
    collections.ranks,
    present.flatMap((one) => rankViews(one, userById.get(one.userId)!, version, today)),
    'version',
  );
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
  if (cleared < marks.length) await markChanged(collections, marks, { totals, today });
  return marks.length;
}

/**
 * Marks those again whose totals are not what was written any more: another process has counted them meanwhile, and may
 * have removed what was then written late. Only those: two that count at once would else never end.
 */
async function markChanged(
  collections: Pick<Collections, 'contributions' | 'dirty'>,
  marks: DirtyMark[],
  { totals, today }: { totals: MemberTotals[]; today: number },
): Promise<void> {
  const written = byMark(totals);
  const now = byMark(await addUp(collections, marks.map(parseMark), today));
  const changed = marks.filter(({ _id }) => !same(written.get(_id), now.get(_id)));
  await markDirty(
    collections.dirty,
    changed.map(({ _id }) => _id),
    latestOf(marks),
  );
}

function byMark(totals: MemberTotals[]): Map<string, MemberTotals> {
  return new Map(totals.map((one) => [dirtyMember(one.serverId, one.userId), one]));
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

async function addUp(
  { contributions }: Pick<Collections, 'contributions'>,
  members: { serverId: string; userId: string }[],
  today: number,
): Promise<MemberTotals[]> {
  const recent = {
    $filter: { input: '$days', cond: { $gte: ['$$this.day', firstDayOf('month', today)] } },
  };
  return contributions
    .aggregate<MemberTotals>([
      {
        $match: {
          $or: members.map(({ serverId, userId }) => ({ serverId, userId })),
          messages: { $gt: 0 },
        },
      },
      {
        $group: {
          _id: { serverId: '$serverId', userId: '$userId' },
          messages: { $sum: '$messages' },
          threads: { $sum: '$threads' },
          reactions: { $sum: '$reactions' },
          firstAt: { $min: '$firstAt' },
          lastAt: { $max: '$lastAt' },
          days: { $push: recent },
        },
      },
      {
        $project: {
          _id: 0,
          serverId: '$_id.serverId',
          userId: '$_id.userId',
          messages: 1,
          threads: 1,
          reactions: 1,
          firstAt: 1,
          lastAt: 1,
          days: {
            $reduce: {
              input: '$days',
              initialValue: [],
              in: { $concatArrays: ['$$value', '$$this'] },
            },
          },
        },
      },
    ])
    .toArray();
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

/** A user's rows on all servers. */
export async function membersOf(
  { members }: Pick<Collections, 'members'>,
  userIds: string[],
): Promise<Map<string, MemberView[]>> {
  const rows = await members
    .find({ userId: { $in: userIds } })
    .sort({ _id: 1 })
    .toArray();
  const byUser = new Map<string, MemberView[]>();
  for (const row of rows) byUser.set(row.userId, [...(byUser.get(row.userId) ?? []), row]);
  return byUser;
}
