import { batches } from '../../../shared/platform/batches.js';
import type { Mark, WorkKind } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { storeMade } from '../work/claims.js';
import { listsNaming } from './buildShown.js';

/** A subject of a kind of work that is to be marked because of another subject. */
interface Following {
  kind: WorkKind;
  subject: string;
  because: string;
}

/** What is to be marked because of some subjects. */
type Follows = (deps: IndexerDeps, subjects: string[]) => AsyncIterable<Following>;

/** Marks the threads of channels, which show their names and tags, and go with them, and those that link there. */
export const fanOutChannels = fanOut(async function* ({ collections }, channelIds) {
  for (const id of channelIds) yield { kind: 'links', subject: id, because: id };
  const inside = collections.threads.find(
    { channelId: { $in: channelIds }, deleted: { $ne: true } },
    { projection: { channelId: 1 } },
  );
  for await (const { _id, channelId } of inside) {
    yield { kind: 'thread', subject: _id, because: channelId };
  }
});

/** Marks people whose profiles show the names of servers. */
export const fanOutServers = fanOut(async function* ({ collections }, serverIds) {
  const there = collections.members.find(
    { serverId: { $in: serverIds } },
    { projection: { userId: 1, serverId: 1 } },
  );
  for await (const { userId, serverId } of there) {
    yield { kind: 'person', subject: userId, because: serverId };
  }
});

/** Marks the threads that link to threads or channels, and show their names. */
export const fanOutLinks = fanOut(async function* ({ collections }, targetIds) {
  const targets = new Set(targetIds);
  const linking = collections.threadItems.find(
    { linksTo: { $in: targetIds } },
    { projection: { linksTo: 1 } },
  );
  for await (const { _id, linksTo } of linking) {
    for (const because of linksTo) {
      if (targets.has(because) && because !== _id) yield { kind: 'thread', subject: _id, because };
    }
  }
});

const markLists = fanOut(async function* (deps, threadIds) {
  const threads = new Set(threadIds);
  for (const id of threads) yield { kind: 'shown', subject: id, because: id };
  for await (const { _id, similarTo } of listsNaming(deps, threadIds)) {
    for (const because of similarTo) {
      if (threads.has(because)) yield { kind: 'shown', subject: _id, because };
    }
  }
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

/** Marks what follows from some marks, each for the causes of the mark it follows from, before it takes them away. */
function fanOut(follows: Follows): (deps: IndexerDeps, marks: Mark[]) => Promise<void> {
  return async (deps, marks) => {
    const causes = new Map(marks.map((mark) => [mark.subject, mark.causes]));
    for await (const batch of batches(follows(deps, [...causes.keys()]))) {
      await deps.commit({
        reads: {},
        decide(documents) {
          for (const { kind, subject, because } of batch) {
            documents.mark(kind, subject, { causes: causes.get(because) });
          }
        },
      });
    }
    await storeMade(deps, marks, () => undefined);
  };
}
