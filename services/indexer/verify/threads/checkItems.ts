import type { ThreadItemView } from '../../../../shared/store/views.js';
import { differingFields } from '../differingFields.js';
import type { Difference } from '../difference.js';
import type { ExpectedThread } from './expectThreads.js';
import { differenceOf, orphanView, resting, type ThreadCheck } from './threadLook.js';

/**
 * List items: of the record's revision, their keys, scopes, text and counts as counted from the messages. What they link
 * to is compared where the messages are read whole.
 */
export const checkItems: ThreadCheck = (look) => {
  const { items, threads } = look;
  look.tally('items', items.size);
  const orphans = [...items.keys()].filter((id) => !threads.has(id));
  return Promise.resolve([
    ...orphans.map((id) => orphanView(id, 'list item')),
    ...resting(look).flatMap((one) => judgeItem(one, items.get(one.thread._id)) ?? []),
  ]);
};

function judgeItem(one: ExpectedThread, stored: ThreadItemView | undefined): Difference | null {
  const { item: expected, thread } = one;
  const isListed = stored !== undefined && stored.item !== '';
  const clue = { above: stored?.revision ?? 0 };
  const differs = (kind: Difference['kind'], detail: string): Difference =>
    differenceOf(one, kind, detail, clue);
  if (!expected) {
    const isThere = isListed || (stored?.scopes.length ?? 0) > 0;
    return isThere ? differs('item.shown', 'It stands in the lists') : null;
  }
  if (!isListed) return differs('item.missing', 'It stands in no list');
  if (stored.revision !== thread.revision) {
    return differs('item.stale', `It is of revision ${stored.revision}, not ${thread.revision}`);
  }
  const fields = differingFields(comparable(stored), comparable(expected), ['linksTo']);
  if (fields.length === 0) return null;
  return differs('item.wrong', `It differs in ${fields.join(', ')}${counts(stored, expected)}`);
}

function comparable(item: ThreadItemView): ThreadItemView {
  const reactions = [...item.facts.reactions].sort((left, right) =>
    left.emoji < right.emoji ? -1 : 1,
  );
  return { ...item, facts: { ...item.facts, reactions } };
}

function counts(stored: ThreadItemView, expected: ThreadItemView): string {
  const [said, counted] = [stored.facts.messages, expected.facts.messages];
  return said === counted ? '' : `: ${said} messages, counted ${counted}`;
}
