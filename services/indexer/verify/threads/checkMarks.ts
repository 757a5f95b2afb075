import { isSetAside } from '../../quarantine/tries.js';
import type { ExpectedThread } from './expectThreads.js';
import { differenceOf, resting, type ThreadCheck } from './threadLook.js';

/**
 * Threads that wait to be built: found twice with the same mark, nobody does. Threads that were set aside. And threads
 * whose body and list item are both older than the record though no mark says so: the mark was lost.
 */
export const checkMarks: ThreadCheck = async (look) => {
  const { deps, threads, items } = look;
  // Building one whose channel is missing would take it away from its readers.
  const placed = [...threads.values()].filter(({ isOrphan }) => !isOrphan);
  const waiting = placed.filter(({ thread }) => thread.pending !== undefined);
  const behind = resting(look).filter(({ thread: { _id, revision } }) => {
    const item = items.get(_id);
    return item !== undefined && item.revision < revision;
  });
  const ids = behind.map(({ thread }) => `thread/${thread._id}`);
  const bodies = await deps.collections.bodies
    .find({ _id: { $in: ids } }, { projection: { revision: 1 } })
    .toArray();
  const built = new Map(bodies.map(({ _id, revision }) => [_id, revision]));
  const lost = behind.filter(
    ({ thread: { _id, revision } }) => (built.get(`thread/${_id}`) ?? 0) < revision,
  );
  const aside = placed.filter(({ thread }) => isSetAside(thread));
  return [
    ...aside.map((one) =>
      differenceOf(one, 'mark.aside', 'Its last views stay; see /admin/quarantine'),
    ),
    ...waiting.map((one) => differenceOf(one, 'mark.pending', waitingDetail(one))),
    ...lost.map((one) => differenceOf(one, 'mark.lost', 'Its views are of an older revision')),
  ];
};

function waitingDetail({ thread: { pending, pendingAt } }: ExpectedThread): string {
  const since = pendingAt && pendingAt.getTime() > 0 ? ` since ${pendingAt.toISOString()}` : '';
  return `Revision ${pending} waits to be built${since}`;
}
