import { groupBy } from '../../../../shared/platform/groupBy.js';
import type { ContributionView, ThreadItemView } from '../../../../shared/store/views.js';
import { differingFields } from '../differingFields.js';
import { differingRows } from '../differingRows.js';
import { within } from '../../records/idWindow.js';
import type { ExpectedThread } from './expectThreads.js';
import { resting, type ThreadCheck, type ThreadLook } from './threadLook.js';

/** Compares list items and contributions with the records, field by field. */
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
  if (!one.views) {
    if (stored) problems.note(one, 'thread.shown', 'It is listed', stored.revision);
    return;
  }
  if (!stored) {
    problems.note(one, 'thread.wrong', 'It is in no list');
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
  const expected = one.views?.contributions ?? [];
  const above = Math.max(0, ...stored.map(({ revision }) => revision));
  for (const row of differingRows(stored, expected, ['revision'])) {
    const { userId } = (row.expected ?? row.stored)!;
    const detail = `The contribution of user ${userId} ${row.problem}`;
    problems.note(one, 'thread.wrong', detail, above);
  }
}
