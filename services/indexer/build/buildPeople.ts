import type { Filter } from 'mongodb';
import { batches } from '../../../shared/platform/batches.js';
import { groupBy } from '../../../shared/platform/groupBy.js';
import type { Collections } from '../../../shared/store/collections.js';
import { userOfMember } from '../../../shared/store/optOuts.js';
import type { MemberView, RankView } from '../../../shared/store/views.js';
import { markId, type Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { nextVersion } from '../stores/nextVersion.js';
import { markMirror } from '../mirror/markMirror.js';
import { firstDayOf } from '../views/memberViews.js';
import { dayOf, startOf } from '../views/tallyPeople.js';
import { storeMade } from '../work/claims.js';
import type { Documents } from '../work/change.js';
import { addUpPeople } from './addUpPeople.js';
import { countMembers, type CountedMembers } from './countMembers.js';
import { countProfiles } from './countProfiles.js';
import { compareRows, putBody, putChanges, type RowChanges } from './putViews.js';

/** How many rows of people are looked at together. */
const MOST_AGED = 1_000;

/**
 * Counts each person's totals on their servers, and stores them with the person's leaderboard lines and profile. Where
 * somebody has no part in any thread any more, all of these are removed. That is how an erased person disappears from
 * them: the builds of threads take the person out of all threads.
 */
export async function buildPeople(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  const { collections } = deps;
  const everyone = marks.map(({ subject }) => subject);
  const oldRows = rowsByPerson(await storedRows(collections, everyone));
  const version = await nextVersion(collections.state);
  const at = { version, today: dayOf(new Date()) };
  const sums = await addUpPeople(collections, { userId: { $in: everyone } }, at.today);
  const counted = countMembers(deps, sums, at);
  const profiles = await countProfiles(deps, everyone, counted.members, sums.appearances);
  const newRows = rowsByPerson(counted);
  const changes = new Map(
    everyone.map((userId) => [userId, changesOf(oldRows(userId), newRows(userId))]),
  );
  const store = (documents: Documents, { subject: userId, causes }: Mark): void => {
    const { members, ranks, serverIds } = changes.get(userId)!;
    putChanges(documents, 'members', members);
    putChanges(documents, 'ranks', ranks);
    putBody(documents, profiles, `user/${userId}`, version);
    for (const serverId of serverIds) documents.mark('server', serverId, { causes });
    markMirror(deps, documents, `user/${userId}`, { causes });
  };
  const servers = [...changes.values()].flatMap(({ serverIds }) => [...serverIds]);
  await storeMade(deps, marks, store, { users: everyone, servers: [...new Set(servers)] });
}

/** How somebody's rows and lines have changed. */
interface MemberChanges {
  members: RowChanges<MemberView>;
  ranks: RowChanges<RankView>;
  /**
   * The servers on which a row or line has changed. Only these are marked and announced, because the transaction that
   * stored the other rows and lines has marked their servers. Statistics show rows only. But where lines alone have
   * changed, by another shown name, the process may be killed before it announces that. Then the count of the server
   * announces it.
   */
  serverIds: ReadonlySet<string>;
}

function changesOf(before: CountedMembers, now: CountedMembers): MemberChanges {
  const members = compareRows(before.members, now.members);
  const ranks = compareRows(before.ranks, now.ranks);
  const rows = [...members.put, ...members.removed].map(({ _id }) => _id);
  const lines = [...ranks.put, ...ranks.removed].map(({ member }) => member);
  const serverIds = new Set([...rows, ...lines].map((member) => member.split('/')[0]!));
  return { members, ranks, serverIds };
}

async function storedRows(
  { members, ranks }: Pick<Collections, 'members' | 'ranks'>,
  userIds: string[],
): Promise<CountedMembers> {
  const rows = await members.find({ userId: { $in: userIds } }).toArray();
  const member = { $in: rows.map(({ _id }) => _id) };
  return { members: rows, ranks: await ranks.find({ member }).toArray() };
}

/** Returns a function that gives the rows of one person. */
function rowsByPerson({ members, ranks }: CountedMembers): (userId: string) => CountedMembers {
  const rowsOf = groupBy(members, ({ userId }) => userId);
  const linesOf = groupBy(ranks, ({ member }) => userOfMember(member));
  return (userId) => ({ members: rowsOf.get(userId) ?? [], ranks: linesOf.get(userId) ?? [] });
}

/**
 * Marks people whose rolling periods were not counted for today (UTC): on an earlier day, or by a process whose clock
 * was ahead. A call looks at `most` rows at most, or at all rows where that is 0. People who are marked already stay as
 * they are.
 */
export async function markAgedMembers(
  { collections, commit }: Pick<IndexerDeps, 'collections' | 'commit'>,
  now: Date,
  most = MOST_AGED,
): Promise<void> {
  const aged = collections.members
    .find(notCountedFor(dayOf(now)), { projection: { userId: 1 } })
    .limit(most);
  for await (const rows of batches(aged, { items: MOST_AGED })) {
    const ids = [...new Set(rows.map(({ userId }) => userId))];
    await commit({
      reads: { work: ids.map((id) => markId('person', id)) },
      decide(documents) {
        for (const id of ids) {
          if (!documents.get('work', markId('person', id))) documents.mark('person', id);
        }
      },
    });
  }
}

/**
 * A filter for rows whose rolling periods are wrong on a day. Around midnight, the clock of another process may show
 * the next day already. So what was counted for the next day stays: it will be right within a day.
 */
function notCountedFor(today: number): Filter<MemberView> {
  const next = today + 1;
  return {
    $or: [
      { periodDay: { $lt: today } },
      { periodDay: { $gt: next } },
      // Nothing was in a period, as they seemed to have written last long before.
      { periodDay: { $exists: false }, lastAt: { $gte: startOf(firstDayOf('month', next)) } },
    ],
  };
}
