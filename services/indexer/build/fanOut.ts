import { batches } from '../../../shared/platform/batches.js';
import { findAllGathered } from '../../../shared/store/gather.js';
import type { Mark, WorkKind } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { setMarks, storeMade } from '../work/claims.js';
import { threadsShowing } from './buildShown.js';

/** What is to be marked because of one mark: subjects of a kind of work. */
type Follows = (
  deps: IndexerDeps,
  subject: string,
) => AsyncIterable<{ kind: WorkKind; subject: string }>;

/** Marks the threads of channels, which show their names and tags, and go with them, and those that link there. */
export const fanOutChannels = fanOut(async function* ({ collections }, channelId) {
  yield { kind: 'links', subject: channelId };
  const inside = collections.threads.find(
    { channelId, deleted: { $ne: true } },
    { projection: { _id: 1 } },
  );
  for await (const { _id } of inside) yield { kind: 'thread', subject: _id };
});

/** Marks people whose profiles show the names of servers. */
export const fanOutServers = fanOut(async function* ({ collections }, serverId) {
  const there = collections.members.find({ serverId }, { projection: { userId: 1 } });
  for await (const { userId } of there) yield { kind: 'person', subject: userId };
});

/** Marks the threads that link to threads or channels, and show their names. */
export const fanOutLinks = fanOut(async function* ({ collections }, targetId) {
  const linking = await findAllGathered(collections.threadItems, 'linksTo', targetId, {
    fields: ['_id'],
  });
  for (const { _id } of linking) if (_id !== targetId) yield { kind: 'thread', subject: _id };
});

const markLists = fanOut(async function* (deps, threadId) {
  yield { kind: 'shown', subject: threadId };
  for (const subject of await threadsShowing(deps, threadId)) yield { kind: 'shown', subject };
});

/**
 * Marks the lists of similar threads that threads stand in, and their own. Announces the threads once more: whoever
 * built them may have been killed before they were announced.
 */
export async function fanOutLists(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  const ids = marks.map(({ subject }) => subject);
  const found = await deps.collections.threads
    .find({ _id: { $in: ids } }, { projection: { serverId: 1, channelId: 1 } })
    .toArray();
  const threads = found.map(({ _id: threadId, ...place }) => ({ threadId, ...place }));
  deps.announcer.announce({ threads });
  await markLists(deps, marks);
}

/** Marks what follows from each mark, for the same causes, before it takes the mark away. */
function fanOut(follows: Follows): (deps: IndexerDeps, marks: Mark[]) => Promise<void> {
  return async (deps, marks) => {
    for (const mark of marks) {
      for await (const batch of batches(follows(deps, mark.subject))) {
        for (const kind of new Set(batch.map((one) => one.kind))) {
          const subjects = batch.filter((one) => one.kind === kind).map(({ subject }) => subject);
          await setMarks(deps, kind, subjects, { causes: mark.causes });
        }
      }
    }
    await storeMade(deps, marks, () => undefined);
  };
}
