import { isDeepStrictEqual } from 'node:util';
import { bodyNames } from '../../../shared/store/bodyKinds.js';
import type { Collections } from '../../../shared/store/collections.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import type { MemberView, RankView } from '../../../shared/store/views.js';
import { markId, type Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { encodeBody } from '../stores/bodyWriter.js';
import { nextVersion } from '../stores/nextVersion.js';
import { dayOf } from '../views/tallyPeople.js';
import { endMark, isHeld, readsOf } from '../work/claims.js';
import type { Documents } from '../work/commit.js';
import { countMembers } from './countMembers.js';
import { countProfiles } from './countProfiles.js';

/** Rows that are kept of people beside their profiles. */
interface Rows {
  members: MemberView[];
  ranks: RankView[];
}

/**
 * Counts people's totals on their servers, their lines of the leaderboards and their profiles, and stores them. Of
 * somebody who was erased nothing is kept by their id.
 */
export async function buildPeople(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  const { collections } = deps;
  const version = await nextVersion(collections.counters);
  const erased = await erasedPeople(collections);
  const everyone = marks.map(({ subject }) => subject);
  const shown = everyone.filter((userId) => !erased.has(userId));
  const before = await storedRows(collections, everyone);
  const at = { version, today: dayOf(new Date()) };
  const counted = await countMembers(collections, { userId: { $in: shown } }, at);
  const profiles = await countProfiles(collections, shown, counted.members);
  const stored = await deps.commit({
    reads: readsOf(marks),
    decide(documents) {
      const held = marks.filter((mark) => isHeld(documents, mark));
      const people = new Set(held.map(({ subject }) => subject));
      const isOfHeld = (row: MemberView | RankView): boolean => people.has(userOf(row));
      putRows(
        documents,
        'members',
        before.members.filter(isOfHeld),
        counted.members.filter(isOfHeld),
      );
      putRows(documents, 'ranks', before.ranks.filter(isOfHeld), counted.ranks.filter(isOfHeld));
      for (const { subject, ...mark } of held) {
        const causes = mark.causes;
        for (const [name, text] of profiles) {
          if (name !== `user/${subject}`) continue;
          if (text === null) documents.remove('bodies', name);
          else documents.put('bodies', encodeBody(name, version, text));
        }
        if (erased.has(subject)) {
          documents.remove('users', subject);
          for (const name of bodyNames('user', subject)) documents.remove('bodies', name);
        }
        const rows = [...before.members, ...counted.members];
        const serverIds = rows.flatMap(({ userId, serverId }) =>
          userId === subject ? [serverId] : [],
        );
        for (const serverId of new Set(serverIds)) documents.mark('server', serverId, { causes });
        endMark(documents, { subject, ...mark });
      }
      return [...people];
    },
  });
  const serverIds = new Set(
    [...before.members, ...counted.members].map(({ serverId }) => serverId),
  );
  deps.announcer.announce({ users: stored, servers: [...serverIds] });
}

async function storedRows(
  { members, ranks }: Pick<Collections, 'members' | 'ranks'>,
  userIds: string[],
): Promise<Rows> {
  const rows = await members.find({ userId: { $in: userIds } }).toArray();
  const member = { $in: rows.map(({ _id }) => _id) };
  return { members: rows, ranks: await ranks.find({ member }).toArray() };
}

function userOf(row: MemberView | RankView): string {
  return 'userId' in row ? row.userId : row.member.slice(row.member.indexOf('/') + 1);
}

/** Puts rows that differ, and removes those that are not counted any more. */
function putRows<N extends 'members' | 'ranks'>(
  documents: Documents,
  name: N,
  before: readonly Rows[N][number][],
  now: readonly Rows[N][number][],
): void {
  const stored = new Map<string, Rows[N][number]>(before.map((row) => [row._id, row]));
  for (const row of now) {
    const known = stored.get(row._id);
    stored.delete(row._id);
    if (known && isDeepStrictEqual({ ...known, version: 0 }, { ...row, version: 0 })) continue;
    documents.put(name, row as never);
  }
  for (const _id of stored.keys()) documents.remove(name, _id);
}

/** Marks those whose rolling periods were counted on an earlier day, unless they are marked already. */
export async function markAgedMembers(
  { collections, commit }: Pick<IndexerDeps, 'collections' | 'commit'>,
  now: Date,
): Promise<void> {
  const aged = await collections.members
    .find({ periodDay: { $lt: dayOf(now) } }, { projection: { userId: 1 } })
    .limit(1_000)
    .toArray();
  if (aged.length === 0) return;
  const ids = [...new Set(aged.map(({ userId }) => userId))];
  await commit({
    reads: { work: ids.map((id) => markId('person', id)) },
    decide(documents) {
      for (const id of ids) {
        if (!documents.get('work', markId('person', id))) documents.mark('person', id);
      }
    },
  });
}
