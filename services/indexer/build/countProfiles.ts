import { groupBy } from '../../../shared/platform/groupBy.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { MemberView, ShownPerson } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../deps.js';
import type { BodyTexts } from '../stores/bodyWriter.js';
import { withLink } from './countMembers.js';
import { itemsOf } from './similarBodies.js';
import { presentUser } from '../views/memberViews.js';
import type { Appearance } from './addUpPeople.js';

/** People's profiles from their totals; null for somebody who is not counted, or is not in `appearances`. */
export async function countProfiles(
  { collections, links }: Pick<IndexerDeps, 'collections' | 'links'>,
  userIds: readonly string[],
  members: readonly MemberView[],
  appearances: ReadonlyMap<string, Appearance>,
): Promise<BodyTexts> {
  const rows = [...members].sort((left, right) => (left._id < right._id ? -1 : 1));
  const names = await serverNames(collections, rows);
  const recentIds = [...appearances.values()].flatMap(({ recentThreads }) => recentThreads);
  const itemOf = await itemsOf(collections, recentIds);
  const rowsByUser = groupBy(rows, ({ userId }) => userId);
  return new Map(
    userIds.map((userId): [string, string | null] => {
      const own = (rowsByUser.get(userId) ?? []).map((row) => ({
        ...row,
        serverName: names.get(row.serverId) ?? '',
      }));
      const appearance = appearances.get(userId);
      if (!appearance || own.length === 0) return [`user/${userId}`, null];
      const recent = appearance.recentThreads.flatMap((id) => itemOf.get(id) || []);
      return [`user/${userId}`, profileOf(withLink(appearance.person, links), own, recent)];
    }),
  );
}

function profileOf(
  person: ShownPerson,
  rows: (MemberView & { serverName: string })[],
  recent: readonly string[],
): string {
  const profile = JSON.stringify(presentUser(person, rows)).slice(0, -1);
  return `${profile},"recentThreads":[${recent.join(',')}]}`;
}

async function serverNames(
  { servers }: Collections,
  rows: MemberView[],
): Promise<Map<string, string>> {
  const ids = [...new Set(rows.map(({ serverId }) => serverId))];
  const found = await servers.find({ _id: { $in: ids } }, { projection: { name: 1 } }).toArray();
  return new Map(found.map(({ _id, name }) => [_id, name]));
}
