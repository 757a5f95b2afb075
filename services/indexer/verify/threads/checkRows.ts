import { groupBy } from '../../../../shared/platform/groupBy.js';
import type { ContributionView, ThreadItemView } from '../../../../shared/store/views.js';
import { differingFields } from '../differingFields.js';
import { within } from '../../records/idWindow.js';
import type { ExpectedThread } from './expectThreads.js';
import { resting, type ThreadCheck, type ThreadLook } from './threadLook.js';

/** List items and contributions: field for field what the records give. */
export const checkRows: ThreadCheck = async (look) => {
  const { threadItems, contributions } = look.deps.collections;
  const items = await threadItems.find({ _id: within(look.window) }).toArray();
  const rows = await contributions.find({ threadId: within(look.window) }).toArray();
  look.tally('items', items.length);
  look.tally('contributions', rows.length);
  const itemOf = new Map(items.map((item) => [item._id, item]));
  const rowsOf = groupBy(rows, ({ threadId }) => threadId);
  for (const one of resting(look)) {
    const { _id } = one.thread;
    judgeItem(look, one, itemOf.get(_id));
    judgeRows(look, one, rowsOf.get(_id) ?? []);
  }
  return [];
};

function judgeItem(
  { problems }: ThreadLook,
  one: ExpectedThread,
  stored: ThreadItemView | undefined,
): void {
  const isListed = stored !== undefined && (stored.item !== '' || stored.scopes.length > 0);
  if (!one.views) {
    if (isListed) problems.note(one, 'thread.shown', 'It is listed', stored.revision);
    return;
  }
  if (!isListed) {
    problems.note(one, 'thread.wrong', 'It is in no list', stored?.revision);
    return;
  }
  const fields = differingFields(stored, one.views.item, ['revision']);
  if (fields.length === 0) return;
  problems.note(
    one,
    'thread.wrong',
    `Its list item differs in ${fields.join(', ')}`,
    stored.revision,
  );
}

function judgeRows(
  { problems }: ThreadLook,
  one: ExpectedThread,
  stored: readonly ContributionView[],
): void {
  const expected = new Map(one.views?.contributions.map((row) => [row._id, row]));
  const above = Math.max(0, ...stored.map(({ revision }) => revision));
  const note = (userId: string, problem: string): void =>
    problems.note(one, 'thread.wrong', `The contribution of user ${userId} ${problem}`, above);
  const seen = new Set<string>();
  for (const row of stored) {
    const must = expected.get(row._id);
    seen.add(row._id);
    const isEmpty = row.messages + row.threads + row.reactions === 0;
    if (!must && !isEmpty) note(row.userId, 'must not be');
    const fields = must ? differingFields(row, must, ['revision']) : [];
    if (fields.length > 0) note(row.userId, `differs in ${fields.join(', ')}`);
  }
  for (const [id, { userId }] of expected) if (!seen.has(id)) note(userId, 'is not there');
}
