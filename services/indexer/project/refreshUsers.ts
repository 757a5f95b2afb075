import { findGathered } from '../../../shared/store/gather.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { UserRecord } from '../../../shared/store/records.js';
import type { MemberView } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../deps.js';
import { nextVersion } from '../stores/nextVersion.js';
import { storeBody, storeGone } from '../stores/bodyWriter.js';
import { clearMarks, dirtyMarks } from '../stores/dirtyMarks.js';
import { forgetErased } from '../stores/forgetPeople.js';
import { presentUser } from '../views/memberViews.js';
import { membersOf } from './refreshMembers.js';

const BATCH = 100;
const RECENT_THREADS = 10;

/** Writes people's profiles again. Returns how many it did. */
export async function refreshUsers(
  { collections, announcer }: IndexerDeps,
  by?: Date,
): Promise<number> {
  const marks = await dirtyMarks(collections.dirty, 'user', { limit: BATCH, by });
  if (marks.length === 0) return 0;
  const version = await nextVersion(collections.counters);
  const userIds = marks.map(({ _id }) => _id.slice('user/'.length));
  const users = await collections.users.find({ _id: { $in: userIds } }).toArray();
  const members = await membersOf(collections, userIds);
  const servers = await serverNames(collections, [...members.values()].flat());
  const userById = new Map(users.map((user) => [user._id, user]));
  await Promise.all(
    userIds.map((userId) => {
      const rows = (members.get(userId) ?? []).map((row) => ({
        ...row,
        serverName: servers.get(row.serverId) ?? '',
      }));
      return storeProfile(collections, userId, userById.get(userId), rows, version);
    }),
  );
  await forgetErased(collections, userIds);
  await clearMarks(collections.dirty, marks);
  announcer.announce({ users: userIds });
  return marks.length;
}

async function storeProfile(
  collections: Collections,
  userId: string,
  user: UserRecord | undefined,
  rows: (MemberView & { serverName: string })[],
  version: number,
): Promise<void> {
  if (!user || rows.length === 0) return storeGone(collections, `user/${userId}`, version);
  const profile = JSON.stringify(presentUser(user, rows)).slice(0, -1);
  const recent = await recentItems(collections, userId);
  await storeBody(
    collections,
    `user/${userId}`,
    version,
    `${profile},"recentThreads":[${recent.join(',')}]}`,
  );
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
