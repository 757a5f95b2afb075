import { batches } from '../../../shared/platform/batches.js';
import {
  findForwards,
  forwardsOf,
  unshownForwards,
  type ForwardingMessage,
} from '../../../shared/store/forwards.js';
import { unshownPeople } from '../../../shared/store/unshownPeople.js';
import type { Mark, WorkKind } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { storeMade } from '../work/claims.js';
import { listsNaming } from './buildShown.js';

/** A mark to be set: its kind, its subject, and the other subject because of which it is set. */
interface Following {
  kind: WorkKind;
  subject: string;
  because: string;
  /** A cause that the mark gets in addition to those of the mark it follows from. */
  cause?: string;
}

/** Yields the marks to be set because of some subjects. */
type Follows = (deps: IndexerDeps, subjects: string[]) => AsyncIterable<Following>;

/**
 * Marks the threads of channels: they show their channel's name and tags, and are hidden or removed with it. Marks the
 * threads that link to the channels, too.
 */
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

/**
 * Marks people whose profiles show the names of servers. It also marks everybody who is being counted now. Such a build
 * may have read the old name, and may be about to store the person's first row on the server. These people are looked
 * for first: when a build ends after that, its rows are found.
 */
export const fanOutServers = fanOut(async function* ({ collections }, serverIds) {
  const counted = collections.work.find(
    { kind: 'person', claim: { $exists: true } },
    { projection: { subject: 1 } },
  );
  for await (const { subject } of counted) {
    for (const because of serverIds) yield { kind: 'person', subject, because };
  }
  const there = collections.members.find(
    { serverId: { $in: serverIds } },
    { projection: { userId: 1, serverId: 1 } },
  );
  for await (const { userId, serverId } of there) {
    yield { kind: 'person', subject: userId, because: serverId };
  }
});

/**
 * Marks the threads of a server that a member started, wrote in or used a command in, whether that is shown now or not.
 */
export const fanOutMembers = fanOut(async function* ({ collections }, memberIds) {
  for (const because of memberIds) {
    const [serverId, userId] = because.split('/') as [string, string];
    for await (const subject of threadsOf(collections, serverId, userId)) {
      yield { kind: 'thread', subject, because };
    }
  }
});

const markLists = fanOut(async function* (deps, threadIds) {
  yield* forwarding(deps, threadIds);
  yield* listing(deps, threadIds);
});
const markLinks = fanOut(async function* (deps, targetIds) {
  yield* linking(deps, targetIds);
  yield* forwarding(deps, targetIds);
  yield* listing(deps, targetIds);
});

/**
 * Marks the lists of similar threads in which some threads stand. Marks the threads that forward messages of theirs,
 * where a copy is shown that may not be, or is hidden although it may be shown. Announces the threads once more: the
 * worker that built them may have been killed before it announced them.
 */
export async function fanOutLists(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  await announceAgain(deps, marks);
  await markLists(deps, marks);
}

/**
 * Does the same as `fanOutLists`, and also marks the threads that link to these threads or channels and so show their
 * names.
 */
export async function fanOutLinks(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  await announceAgain(deps, marks);
  await markLinks(deps, marks);
}

async function announceAgain(
  { collections, announcer }: IndexerDeps,
  marks: readonly Mark[],
): Promise<void> {
  const ids = marks.map(({ subject }) => subject);
  const found = await collections.threads
    .find({ _id: { $in: ids } }, { projection: { serverId: 1, channelId: 1 } })
    .toArray();
  const threads = found.map(({ _id: threadId, ...place }) => ({ threadId, ...place }));
  announcer.announce({ threads });
}

/** Threads of a server that somebody started, wrote in, or used a command in. */
async function* threadsOf(
  { threads, messages }: IndexerDeps['collections'],
  serverId: string,
  userId: string,
): AsyncGenerator<string> {
  const started = threads.find({ serverId, ownerId: userId }, { projection: { _id: 1 } });
  for await (const { _id } of started) yield _id;
  for (const field of ['author.id', 'interaction.userId']) {
    const theirs = messages.find({ [field]: userId }, { projection: { threadId: 1 } });
    for await (const batch of batches(theirs)) {
      const ids = [...new Set(batch.map(({ threadId }) => threadId))];
      yield* await threads.distinct<'_id'>('_id', { _id: { $in: ids }, serverId });
    }
  }
}

/**
 * Finds threads that forward messages of these threads, and show a copy that may no longer be shown, or hide one that
 * may. When a message is recorded, deleted, erased or left out, its own thread is built first, and this looks for its
 * copies afterwards. A thread that is being built at that time checks its forwards again by itself. Where a record
 * still holds the copy of a deleted message, its thread is marked even if the copy is hidden already, so that the build
 * empties the record.
 */
async function* forwarding(
  { collections }: IndexerDeps,
  threadIds: string[],
): AsyncGenerator<Following> {
  const named = { 'reference.channelId': { $in: threadIds } };
  const done = new Set<string>();
  for await (const batch of batches(findForwards(collections, named))) {
    const copies = batch.filter((copy) => copy.threadId !== copy.reference?.channelId);
    const people = await unshownPeople(collections);
    const { hidden, gone } = await unshownForwards(collections, people, forwardsOf(copies));
    const unshown = await storedUnshown(collections, copies);
    for (const copy of copies) {
      const { _id, threadId: subject, reference } = copy;
      const was = unshown.get(subject)?.has(_id);
      const because = reference!.channelId!;
      const isWrong = was !== undefined && was !== hidden.has(_id);
      const isToGo = was === false && hidden.has(_id);
      const following = `${subject}/${because}/${isToGo}`;
      if (done.has(following) || (!isWrong && !gone.has(_id))) continue;
      done.add(following);
      yield { kind: 'thread', subject, because, ...(isToGo && { cause: `forwarded/${because}` }) };
    }
  }
}

/**
 * The forwards that are not shown in the threads of some messages, as the last builds stored it: their ids by thread.
 * Threads that are not listed have no entry.
 */
async function storedUnshown(
  { threadItems }: Pick<IndexerDeps['collections'], 'threadItems'>,
  messages: readonly ForwardingMessage[],
): Promise<Map<string, Set<string>>> {
  const ids = [...new Set(messages.map(({ threadId }) => threadId))];
  const items = await threadItems
    .find({ _id: { $in: ids } }, { projection: { unshownForwards: 1 } })
    .toArray();
  return new Map(items.map((item) => [item._id, new Set(item.unshownForwards)]));
}

async function* linking(
  { collections }: IndexerDeps,
  targetIds: string[],
): AsyncGenerator<Following> {
  const targets = new Set(targetIds);
  const items = collections.threadItems.find(
    { linksTo: { $in: targetIds } },
    { projection: { linksTo: 1 } },
  );
  for await (const { _id, linksTo } of items) {
    for (const because of linksTo) {
      if (targets.has(because) && because !== _id) yield { kind: 'thread', subject: _id, because };
    }
  }
}

async function* listing(deps: IndexerDeps, threadIds: string[]): AsyncGenerator<Following> {
  const threads = new Set(threadIds);
  for await (const { _id, similarTo } of listsNaming(deps, threadIds)) {
    for (const because of similarTo) {
      if (threads.has(because)) yield { kind: 'shown', subject: _id, because };
    }
  }
}

/**
 * Makes a builder. It sets the marks that follow from some marks, and then takes these away. Each new mark gets the
 * causes of the mark from which it follows.
 */
function fanOut(follows: Follows): (deps: IndexerDeps, marks: Mark[]) => Promise<void> {
  return async (deps, marks) => {
    const causes = new Map(marks.map((mark) => [mark.subject, mark.causes]));
    for await (const batch of batches(follows(deps, [...causes.keys()]))) {
      await deps.commit({
        reads: {},
        decide(documents) {
          for (const { kind, subject, because, cause = [] } of batch) {
            documents.mark(kind, subject, {
              causes: [...(causes.get(because) ?? []), cause].flat(),
            });
          }
        },
      });
    }
    await storeMade(deps, marks, () => undefined);
  };
}
