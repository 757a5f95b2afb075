import type { ContributionView } from '../../../../shared/store/views.js';
import type { Difference } from '../difference.js';
import { differingFields } from '../differingFields.js';
import { within } from '../idWindow.js';
import type { ExpectedThread } from './expectThreads.js';
import type { PersonCount } from './recount.js';
import { differenceOf, orphanView, resting, type ThreadCheck } from './threadLook.js';

/** What each person did in each thread, counted again from the messages. */
export const checkContributions: ThreadCheck = async (look) => {
  const { deps, window, threads } = look;
  const stored = new Map<string, Map<string, ContributionView>>();
  for await (const row of deps.collections.contributions.find({ threadId: within(window) })) {
    const rows = stored.get(row.threadId) ?? new Map<string, ContributionView>();
    stored.set(row.threadId, rows.set(row.userId, row));
    look.tally('contributions', 1);
  }
  const orphans = [...stored.keys()].filter((id) => !threads.has(id));
  return [
    ...orphans.map((id) => orphanView(id, 'contribution')),
    ...resting(look).flatMap((one) => judgeRows(one, stored.get(one.thread._id) ?? new Map())),
  ];
};

function judgeRows(one: ExpectedThread, rows: ReadonlyMap<string, ContributionView>): Difference[] {
  const people = one.item ? one.count.people : new Map<string, PersonCount>();
  const above = Math.max(0, ...[...rows.values()].map(({ revision }) => revision));
  const wrong = [...people].flatMap(([userId, person]) => {
    const row = rows.get(userId);
    if (!row) return [differenceOf(one, 'contribution.missing', `Of user ${userId}`, { above })];
    const fields = differingFields(row, rowOf(one, userId, person));
    if (fields.length === 0) return [];
    const detail = `Of user ${userId}, in ${fields.join(', ')}`;
    return [differenceOf(one, 'contribution.wrong', detail, { above })];
  });
  const ghosts = [...rows.values()].filter(
    ({ userId, messages, threads, reactions }) =>
      !people.has(userId) && messages + threads + reactions > 0,
  );
  return [
    ...wrong,
    ...ghosts.map(({ userId }) =>
      differenceOf(one, 'contribution.ghost', `Of user ${userId}`, { above }),
    ),
  ];
}

function rowOf({ thread }: ExpectedThread, userId: string, person: PersonCount): ContributionView {
  const { author: _author, asOf: _asOf, days, ...counts } = person;
  const { _id: threadId, serverId, revision } = thread;
  const ids = { _id: `${threadId}/${userId}`, threadId, userId, serverId, revision };
  return { ...ids, ...counts, days: [...days].map(([day, done]) => ({ day, ...done })) };
}
