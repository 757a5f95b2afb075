import { groupBy } from '../../../shared/platform/groupBy.js';
import type { Collections } from '../../../shared/store/collections.js';
import { findGathered } from '../../../shared/store/gather.js';
import type { UserRecord } from '../../../shared/store/records.js';
import type { MemberView } from '../../../shared/store/views.js';
import type { BodyTexts } from '../stores/bodyWriter.js';
import { presentUser } from '../views/memberViews.js';

const RECENT_THREADS = 10;

/** People's profiles from their totals as they are stored; gone where somebody is not recorded or not counted. */
export async function countProfiles(
  collections: Collections,
  userIds: readonly string[],
): Promise<BodyTexts> {
  const [users, rows] = await Promise.all([
    collections.users.find({ _id: { $in: [...userIds] } }).toArray(),
    memberRows(collections, userIds),
  ]);
  const names = await serverNames(collections, rows);
  const userById = new Map(users.map((user) => [user._id, user]));
  const rowsByUser = groupBy(rows, ({ userId }) => userId);
  const texts = await Promise.all(
    userIds.map(async (userId): Promise<[string, string | null]> => {
      const own = (rowsByUser.get(userId) ?? []).map((row) => ({
        ...row,
        serverName: names.get(row.serverId) ?? '',
      }));
      return [`user/${userId}`, await profileOf(collections, userById.get(userId), own)];
    }),
  );
  return new Map(texts);
}

/** People's rows on all servers, in order of their ids. */
async function memberRows(
  { members }: Pick<Collections, 'members'>,
  userIds: readonly string[],
): Promise<MemberView[]> {
  return members
    .find({ userId: { $in: [...userIds] } })
    .sort({ _id: 1 })
    .toArray();
}

async function profileOf(
  collections: Collections,
  user: UserRecord | undefined,
  rows: (MemberView & { serverName: string })[],
): Promise<string | null> {
  if (!user || rows.length === 0) return null;
  const profile = JSON.stringify(presentUser(user, rows)).slice(0, -1);
  const recent = await recentItems(collections, user._id);
  return `${profile},"recentThreads":[${recent.join(',')}]}`;
}

/** The stored list items of the threads they last wrote in. */
async function recentItems(
  { contributions, threadItems }: Collections,
  userId: string,
): Promise<string[]> {
  const latest = await contributions
    .find({ userId, messages: { $gt: 0 } }, { projection: { threadId: 1 } })
    .sort({ lastAt: -1, threadId: -1 })
    .limit(RECENT_THREADS)
    .toArray();
  const ids = latest.map(({ threadId }) => threadId);
  const items = await Promise.all(ids.map((id) => findGathered(threadItems, id)));
  return items.flatMap((item) => item?.item || []);
}

async function serverNames(
  { servers }: Collections,
  rows: MemberView[],
): Promise<Map<string, string>> {
  const ids = [...new Set(rows.map(({ serverId }) => serverId))];
  const found = await servers.find({ _id: { $in: ids } }, { projection: { name: 1 } }).toArray();
  return new Map(found.map(({ _id, name }) => [_id, name]));
}
