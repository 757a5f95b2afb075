import { groupBy } from '../../../shared/platform/groupBy.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { UserRecord } from '../../../shared/store/records.js';
import type { MemberView } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../deps.js';
import type { BodyTexts } from '../stores/bodyWriter.js';
import { withLink } from './countMembers.js';
import { presentUser } from '../views/memberViews.js';

const RECENT_THREADS = 10;

/** People's profiles from their totals; null where somebody is not recorded or not counted. */
export async function countProfiles(
  { collections, links }: Pick<IndexerDeps, 'collections' | 'links'>,
  userIds: readonly string[],
  members: readonly MemberView[],
): Promise<BodyTexts> {
  const users = await collections.users.find({ _id: { $in: [...userIds] } }).toArray();
  const rows = [...members].sort((left, right) => (left._id < right._id ? -1 : 1));
  const names = await serverNames(collections, rows);
  const recent = await recentItems(collections, userIds);
  const userById = new Map(users.map((user) => [user._id, withLink(user, links)]));
  const rowsByUser = groupBy(rows, ({ userId }) => userId);
  return new Map(
    userIds.map((userId): [string, string | null] => {
      const own = (rowsByUser.get(userId) ?? []).map((row) => ({
        ...row,
        serverName: names.get(row.serverId) ?? '',
      }));
      return [`user/${userId}`, profileOf(userById.get(userId), own, recent.get(userId))];
    }),
  );
}

function profileOf(
  user: UserRecord | undefined,
  rows: (MemberView & { serverName: string })[],
  recent: readonly string[] = [],
): string | null {
  if (!user || rows.length === 0) return null;
  const profile = JSON.stringify(presentUser(user, rows)).slice(0, -1);
  return `${profile},"recentThreads":[${recent.join(',')}]}`;
}

/** The stored list items of the threads that people last wrote in. */
async function recentItems(
  { contributions, threadItems }: Collections,
  userIds: readonly string[],
): Promise<Map<string, string[]>> {
  const latest = await contributions
    .aggregate<{ _id: string; threadIds: string[] }>([
      { $match: { userId: { $in: [...userIds] }, messages: { $gt: 0 } } },
      {
        $group: {
          _id: '$userId',
          threadIds: {
            $topN: {
              n: RECENT_THREADS,
              sortBy: { lastAt: -1, threadId: -1 },
              output: '$threadId',
            },
          },
        },
      },
    ])
    .toArray();
  const ids = [...new Set(latest.flatMap(({ threadIds }) => threadIds))];
  const items = await threadItems
    .find({ _id: { $in: ids } }, { projection: { item: 1 } })
    .toArray();
  const itemOf = new Map(items.map(({ _id, item }) => [_id, item]));
  return new Map(
    latest.map(({ _id, threadIds }) => [_id, threadIds.flatMap((id) => itemOf.get(id) || [])]),
  );
}

async function serverNames(
  { servers }: Collections,
  rows: MemberView[],
): Promise<Map<string, string>> {
  const ids = [...new Set(rows.map(({ serverId }) => serverId))];
  const found = await servers.find({ _id: { $in: ids } }, { projection: { name: 1 } }).toArray();
  return new Map(found.map(({ _id, name }) => [_id, name]));
}
