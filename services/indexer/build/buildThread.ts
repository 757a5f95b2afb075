import type { Binary } from 'mongodb';
import { batches } from '../../../shared/platform/batches.js';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import { memoryBudget } from '../../../shared/platform/memoryBudget.js';
import { bodyNames, type BodyKind } from '../../../shared/store/bodyKinds.js';
import type { Collections } from '../../../shared/store/collections.js';
import { bodyOwner, removeOlderPieces, removePieces } from '../../../shared/store/pieces.js';
import { findAllGathered, findGathered } from '../../../shared/store/gather.js';
import { findForwards, forwardsOf, unshownForwards } from '../../../shared/store/forwards.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import { MESSAGE_BATCH } from '../../../shared/store/messageBatch.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import { unshownPeople, type UnshownPeople } from '../../../shared/store/unshownPeople.js';
import type { BodyView, ContributionView, ThreadItemView } from '../../../shared/store/views.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { documentSender } from '../search/documentSender.js';
import {
  removeUnshownDocuments,
  removeMessageDocuments,
  removeThreadDocuments,
} from '../search/removeDocuments.js';
import { whenFound } from '../similar/findSimilarAgain.js';
import { BodyWriter, goneBodies, writeBody } from '../stores/bodyWriter.js';
import { markMirror } from '../mirror/markMirror.js';
import { nextVersion } from '../stores/nextVersion.js';
import { onlyChanged } from '../stores/searchWriter.js';
import { createSentDocuments, type SentDocuments } from '../stores/sentDocuments.js';
import { redactThread } from '../records/tombstones.js';
import { endMark, freeMark, isHeld, isStillHeld, readsOf } from '../work/claims.js';
import type { Documents } from '../work/commit.js';
import { cleanMessages, cleanThread, cleanWords, removeIfEmptied } from './cleanRecords.js';
import { loadTargets } from './loadThread.js';
import { putBodies, putRows } from './putViews.js';
import { readThread, type ReadViews } from './readThread.js';

/** Bounds the memory: threads that are built at the same time have at most so many messages together. */
const MESSAGES_AT_ONCE = 3_000;
/** A longer thread counts as so many messages. It is read in batches, so it holds no more of them in memory. */
const MOST_MESSAGES = 2 * MESSAGE_BATCH.items;
/** A thread that was not built before counts as so many messages. */
const UNKNOWN_MESSAGES = 60;

/**
 * Builds the marked threads. Where a build fails, it waits until all have ended, then throws the error of the first
 * mark that failed.
 */
export async function buildThreads(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  const known = marks.length > 1 ? await countMessages(deps, marks) : new Map<string, number>();
  const weightOf = ({ subject }: Mark): number =>
    Math.min(known.get(subject) ?? UNKNOWN_MESSAGES, MOST_MESSAGES);
  const budget = memoryBudget(MESSAGES_AT_ONCE);
  const built = await Promise.allSettled(
    marks.map((mark) => budget.within(weightOf(mark), () => buildThread(deps, mark))),
  );
  const failed = built.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** How many messages threads held when they were last built. */
async function countMessages(
  { collections: { threadItems } }: IndexerDeps,
  marks: readonly Mark[],
): Promise<Map<string, number>> {
  const ids = marks.map(({ subject }) => subject);
  const items = await threadItems
    .find({ _id: { $in: ids } }, { projection: { 'facts.messages': 1 } })
    .toArray();
  return new Map(items.map(({ _id, facts }) => [_id, facts.messages]));
}

/**
 * Builds a thread's views and search documents from its records as they are now. A source may have brought back what
 * was erased or deleted, so the build first takes that out of the records. One transaction then stores the views and
 * marks what follows from them. It also takes the thread's mark away, unless the thread shows something of other
 * threads (`endIfSame`). A build that lost its claim stores no views.
 */
async function buildThread(deps: IndexerDeps, mark: Mark): Promise<void> {
  const { collections } = deps;
  const { subject: threadId } = mark;
  const [version, before] = await Promise.all([
    nextVersion(collections.state),
    storedThread(collections, threadId),
  ]);
  const [unshown, isOurs] = await Promise.all([
    unshownPeople(collections),
    isStillHeld(deps, mark),
  ]);
  if (!isOurs) return;
  const { erased } = unshown;
  const thread = await cleanThread(deps, threadId, erased);
  if (!thread) {
    await cleanWords(deps, threadId, erased);
    return removeViews(deps, mark, { version, before, thread });
  }
  // Notices, which are not counted, are cleaned here: the build reads counted messages alone.
  if (!thread.deleted && !erased.isEmpty)
    await cleanWords(deps, threadId, erased, { counted: false });
  const sent = createSentDocuments(mark.whole ? undefined : before.sent);
  const built = thread.deleted ? null : await writeThread(deps, { thread, version, unshown, sent });
  if (built) return storeViews(deps, mark, { thread, before, built });
  const empty = thread.deleted ? thread : await emptied(deps, thread, mark, erased);
  if (empty.deleted) await redactThread(collections.messages, threadId);
  await removeThreadDocuments(collections, deps.search, threadId, version);
  await removeViews(deps, mark, { version, before, thread: empty });
}

/**
 * Cleans the records of a thread of which nothing may be shown, and returns the thread's record as it is stored then.
 * Where an erasure has led to the build, a thread that the erasure has emptied becomes a tombstone. In all other cases
 * the thread stays, since more of it may still be imported.
 */
async function emptied(
  deps: IndexerDeps,
  thread: ThreadRecord,
  { causes = [] }: Mark,
  erased: ErasedPeople,
): Promise<ThreadRecord> {
  await cleanWords(deps, thread._id, erased);
  const now = (await cleanThread(deps, thread._id, erased)) ?? thread;
  return causes.some((cause) => cause.startsWith('erase-user/')) ? removeIfEmptied(deps, now) : now;
}

/** What the last build of a thread has stored, as far as the next build needs to know it. */
export interface StoredThread {
  item: ThreadItemView | null;
  contributions: ContributionView[];
  /** Which of its search documents were sent (stores/sentDocuments.ts). */
  sent: Binary | undefined;
  /** The names of its bodies that are cut into pieces. */
  cut: string[];
}

/** What is stored of a thread now. */
export async function storedThread(
  {
    threadItems,
    contributions,
    bodies,
  }: Pick<Collections, 'threadItems' | 'contributions' | 'bodies'>,
  threadId: string,
): Promise<StoredThread> {
  const fields = ['sent', 'chunks'];
  const [item, rows, ...found] = await Promise.all([
    findGathered(threadItems, threadId),
    findAllGathered(contributions, 'threadId', threadId),
    ...bodyNames('thread', threadId).map((name) => findAllGathered(bodies, '_id', name, fields)),
  ]);
  const stored = found.flat();
  const cut = stored.filter(({ chunks }) => chunks !== undefined).map(({ _id }) => _id);
  return { item, contributions: rows, sent: stored.find(({ sent }) => sent)?.sent, cut };
}

/** The bodies that the build of a thread stores. The list of similar threads is stored when these are looked for. */
export type BuiltKind = Exclude<BodyKind<'thread'>, 'similar'>;

interface BuiltThread {
  views: ReadViews;
  bodies: Record<BuiltKind, BodyView>;
}

/**
 * Stores the pieces of a thread's bodies, and sends its search documents. Returns the views and bodies that the caller
 * has to store; null where nothing of the thread may be shown.
 */
async function writeThread(
  deps: IndexerDeps,
  {
    thread,
    version,
    unshown,
    sent,
  }: { thread: ThreadRecord; version: number; unshown: UnshownPeople; sent: SentDocuments },
): Promise<BuiltThread | null> {
  const { collections } = deps;
  const { _id } = thread;
  const search = onlyChanged(deps.search, sent);
  const body = new BodyWriter(collections, `thread/${_id}`, version);
  const sender = documentSender(search, version);
  try {
    const views = await readThread(
      deps,
      thread,
      { version, unshown },
      {
        begin: (opening) => body.write(opening),
        clean: (messages, erased) => cleanMessages(deps, messages, erased),
        leaveOut: (messages) => removeMessageDocuments(search, messages, version),
        async add({ documents, bodyText }) {
          await sender.add(documents);
          await body.write(bodyText());
        },
      },
    );
    if (!views) return null;
    await body.write(views.closing);
    const [whole, participants] = await Promise.all([
      body.finish(),
      writeBody(collections, `participants/${_id}`, version, views.participants),
      sender.end(views.document),
      removeUnshownDocuments(collections, search, _id, version),
    ]);
    const noted = sent.noted();
    return { views, bodies: { thread: noted ? { ...whole, sent: noted } : whole, participants } };
  } finally {
    body.abandon();
  }
}

async function storeViews(
  deps: IndexerDeps,
  mark: Mark,
  { thread, before, built }: { thread: ThreadRecord; before: StoredThread; built: BuiltThread },
): Promise<void> {
  const { collections } = deps;
  const { _id: threadId, serverId, channelId } = thread;
  const { views } = built;
  const bodies = Object.values(built.bodies);
  const { item, links, hasForwards } = views;
  const showsOthers = hasForwards || [...links.keys()].some((id) => id !== threadId);
  faultPoint('beforeViews');
  const isStored = await deps.commit({
    reads: readsOf([mark]),
    decide(documents) {
      if (!isHeld(documents, mark)) return false;
      for (const body of bodies) documents.put('bodies', body);
      documents.put('threadItems', item);
      const { contributions: all } = views;
      const changed = putRows(documents, 'contributions', before.contributions, all);
      const people = { changed, all };
      markFollowing(documents, mark, { thread, before, item, people });
      if (isSaidAnew(mark, before, bodies))
        documents.mark('similar', threadId, { due: whenFound() });
      markMirror(deps, documents, `thread/${threadId}`, mark);
      if (!showsOthers) endMark(documents, mark);
      return true;
    },
  });
  if (!isStored) {
    // The pieces that this build has written belong to no stored body.
    const owners = bodies.map(({ _id, revision }) => bodyOwner(_id, revision));
    return removePieces(collections, owners);
  }
  faultPoint('viewsStored');
  deps.announcer.announce({ threads: [{ threadId, serverId, channelId }] });
  deps.counters?.threadBuilt();
  if (showsOthers) await endIfSame(deps, mark, views);
  for (const { _id, revision } of bodies) {
    if (before.cut.includes(_id)) await removeOlderPieces(collections, _id, revision);
  }
}

/**
 * Ends the build of a thread that shows something of other threads or channels: their names, where it links to them, or
 * their messages, where it forwards them. These may have changed during the build. Worker A builds this thread, and
 * shows the old title of another one. Meanwhile worker B renames the other thread, and then looks for threads that show
 * its title. If B looks after A has stored its views, B finds this thread and marks it. If B looks before that, A finds
 * the new title here, and has this thread built again. The same holds for a forwarded message that may no longer be
 * shown, or may be shown again.
 */
async function endIfSame(deps: IndexerDeps, mark: Mark, views: ReadViews): Promise<void> {
  const { subject } = mark;
  const areNames = await areNamesSame(deps.collections, subject, views);
  const areForwards = await areForwardsSame(deps.collections, views);
  await deps.commit({
    reads: readsOf([mark]),
    decide(documents) {
      if (!isHeld(documents, mark)) return;
      if (areNames && areForwards) {
        endMark(documents, mark);
        return;
      }
      // All later builds may fail, too. Then the mark is quarantined, and this cause has the views of the thread
      // removed.
      if (!areForwards) documents.mark('thread', subject, { causes: [`forwarded/${subject}`] });
      freeMark(documents, documents.get('work', mark._id)!);
    },
  });
}

/** Whether the threads and channels to which a thread links still have the names that its new views show. */
async function areNamesSame(
  collections: IndexerDeps['collections'],
  threadId: string,
  { links }: ReadViews,
): Promise<boolean> {
  const now = await loadTargets(collections, [...links.keys()]);
  return [...links].every(([id, name]) => id === threadId || now.get(id)?.name === name);
}

/**
 * Whether the stored views hide exactly those of a thread's forwards that may not be shown now, and no record holds the
 * copy of a message that is gone. A forward that the views list as hidden may have been emptied since. The build itself
 * empties it where it cleans the message for another reason, and the original has been deleted since the build judged
 * the forward. Then the thread counts as changed, too.
 */
async function areForwardsSame(
  collections: IndexerDeps['collections'],
  { hasForwards, item }: ReadViews,
): Promise<boolean> {
  if (!hasForwards) return true;
  const were = new Set(item.unshownForwards);
  for await (const batch of batches(findForwards(collections, { threadId: item._id }))) {
    const people = await unshownPeople(collections);
    const { hidden, gone } = await unshownForwards(collections, people, forwardsOf(batch));
    if (gone.size > 0 || batch.some(({ _id }) => hidden.has(_id) !== were.delete(_id)))
      return false;
  }
  return were.size === 0;
}

/**
 * Removes the views of a thread. Its search documents are left to the caller. `end` decides what becomes of the
 * thread's mark; without it, the mark is taken away. Nothing happens where the claim was lost.
 */
export async function removeViews(
  deps: IndexerDeps,
  mark: Mark,
  {
    version,
    before,
    thread,
  }: { version: number; before: StoredThread; thread: ThreadRecord | null },
  end: (documents: Documents) => void = (documents) => endMark(documents, mark),
): Promise<void> {
  const { subject: threadId } = mark;
  const isStored = await deps.commit({
    reads: readsOf([mark]),
    decide(documents) {
      if (!isHeld(documents, mark)) return false;
      putBodies(documents, goneBodies('thread', threadId), version);
      documents.remove('threadItems', threadId);
      const changed = putRows(documents, 'contributions', before.contributions, []);
      const serverId = (thread ?? before.item ?? before.contributions[0])?.serverId;
      if (serverId !== undefined) {
        const place = { _id: threadId, serverId, deleted: thread?.deleted };
        const people = { changed, all: changed };
        markFollowing(documents, mark, { thread: place, before, item: null, people });
        documents.mark('similar', threadId, { due: whenFound() });
      }
      // Another worker may be about to store this thread's list of similar threads. The mark has the list built once
      // more, and then it is removed.
      documents.mark('shown', threadId, { causes: mark.causes });
      markMirror(deps, documents, `thread/${threadId}`, mark);
      end(documents);
      return true;
    },
  });
  if (!isStored) return;
  const place = thread ?? before.item;
  if (place) {
    const { serverId, channelId } = place;
    deps.announcer.announce({ threads: [{ threadId, serverId, channelId }] });
  }
  deps.counters?.threadBuilt();
  for (const name of bodyNames('thread', threadId))
    await removeOlderPieces(deps.collections, name, version + 1);
}

/** Whether a build has made other search documents than the last one. Then other threads may be similar to this one. */
function isSaidAnew(
  { whole }: Mark,
  { sent: before }: StoredThread,
  bodies: readonly BodyView[],
): boolean {
  const now = bodies.find(({ sent }) => sent)?.sent;
  return whole === true || !before || !now || !Buffer.from(before.buffer).equals(now.buffer);
}

/**
 * Marks everything else that shows a part of a thread: its people, its server, lists of similar threads, and threads
 * that link to it. Profiles show the thread's list item. Where that has not changed, only people whose part in the
 * thread has changed are marked. A `whole` mark says that what is stored may be wrong, so it has everybody marked.
 */
function markFollowing(
  documents: Documents,
  { causes, whole }: Mark,
  {
    thread: { _id: threadId, serverId, ...thread },
    before,
    item,
    people,
  }: {
    thread: Pick<ThreadRecord, '_id' | 'serverId'> & { deleted?: boolean | undefined };
    before: StoredThread;
    item: ThreadItemView | null;
    people: Record<'changed' | 'all', readonly ContributionView[]>;
  },
): void {
  const isLineSame = !whole && before.item?.item === item?.item;
  const marked = [...people.changed, ...(isLineSame ? [] : people.all)];
  for (const userId of new Set(marked.map((row) => row.userId))) {
    documents.mark('person', userId, { causes });
  }
  documents.mark('server', serverId, { causes });
  // The list item of a deleted thread may be gone already. Then nothing tells which title other threads show.
  const isRenamed = thread.deleted === true || before.item?.title !== item?.title;
  documents.mark(isRenamed ? 'links' : 'lists', threadId, { causes });
}
