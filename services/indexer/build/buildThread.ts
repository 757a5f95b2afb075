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
import { redactThreads } from '../records/tombstones.js';
import { endMark, freeMark, isHeld, readsOf } from '../work/claims.js';
import type { Documents } from '../work/commit.js';
import { cleanMessages, cleanThread, cleanWords, removeIfEmptied } from './cleanRecords.js';
import { loadTargets } from './loadThread.js';
import { MESSAGE_BATCH } from './messageBatch.js';
import { putBodies, putRows } from './putViews.js';
import { readThread, type ReadViews } from './readThread.js';

/** What bounds the memory of threads that are built together: the messages of those that are built at once. */
const MESSAGES_AT_ONCE = 3_000;
/** A thread counts as no more messages than this, as it is read in batches. */
const MOST_MESSAGES = 2 * MESSAGE_BATCH.items;
/** A thread that was not built before counts as so many. */
const UNKNOWN_MESSAGES = 60;

/** Builds threads that are marked. Throws what the first that fails throws, when all have ended. */
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
 * Builds everything that is read of a thread from its records as they are now. One transaction stores it, marks what
 * follows from it, and takes the thread's mark away. A build that lost its claim stores nothing. A source may have
 * brought back what was erased or deleted: the build takes that out of the records first.
 */
async function buildThread(deps: IndexerDeps, mark: Mark): Promise<void> {
  const { collections } = deps;
  const { subject: threadId } = mark;
  const [version, before] = await Promise.all([
    nextVersion(collections.state),
    storedThread(collections, threadId),
  ]);
  const unshown = await unshownPeople(collections);
  const { erased } = unshown;
  const thread = await cleanThread(deps, threadId, erased);
  if (!thread) {
    await cleanWords(deps, threadId, erased);
    return removeViews(deps, mark, { version, before, thread });
  }
  // Notices are cleaned here, as no build reads them.
  if (!thread.deleted && !erased.isEmpty)
    await cleanWords(deps, threadId, erased, { counted: false });
  const sent = createSentDocuments(mark.whole ? undefined : before.sent);
  const built = thread.deleted ? null : await writeThread(deps, { thread, version, unshown, sent });
  if (built) return storeViews(deps, mark, { thread, before, built });
  const empty = thread.deleted ? thread : await emptied(deps, thread, mark, erased);
  if (empty.deleted) await redactThreads(collections.messages, [threadId]);
  await removeThreadDocuments(collections, deps.search, threadId, version);
  await removeViews(deps, mark, { version, before, thread: empty });
}

/**
 * A thread of which nothing may be shown, once its records are clean. Only an erasure removes it: of one that is being
 * imported, the rest may still come.
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

/** What is stored of a thread that is read beside its bodies. */
export interface StoredThread {
  item: ThreadItemView | null;
  contributions: ContributionView[];
  /** What is known of its search documents. */
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
    ...bodyNames('thread', threadId).map((name) =>
      findAllGathered(bodies, '_id', name, { fields }),
    ),
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
 * Writes pieces of the body and search documents; gives the rest, which is not stored yet. Null: nothing may be shown.
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
    // The pieces that this build has written belong to nothing.
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
 * Ends the build of a thread that shows something of others: their names, where it links to them, or their messages,
 * which it forwards. What it shows of them can be looked up since the build stored it. Worker A builds this thread and
 * shows the old title of another; meanwhile worker B renames that other thread, and looks for those that show its title.
 * Either B finds what A has stored, and marks this thread; or A finds here what B has stored, and has this thread built
 * again. The same holds of a message that may not be shown any more, or may be shown again.
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
      // Its next builds may all fail. It is quarantined then, and because of this cause taken out of what is read.
      if (!areForwards) documents.mark('thread', subject, { causes: [`forwarded/${subject}`] });
      freeMark(documents, documents.get('work', mark._id)!);
    },
  });
}

/** Whether what a thread links to still has the names that it is shown by. */
async function areNamesSame(
  collections: IndexerDeps['collections'],
  threadId: string,
  { links }: ReadViews,
): Promise<boolean> {
  const now = await loadTargets(collections, [...links.keys()]);
  return [...links].every(([id, name]) => id === threadId || now.get(id)?.name === name);
}

/**
 * Whether those of a thread's forwards that are hidden are still those that may not be shown, and the records hold
 * nothing of a message that was deleted meanwhile. The build itself may have emptied one that it had judged before: of a
 * message that also mentions somebody erased, whose own words it forwards.
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

/** Takes everything that is read of a thread away, but for its search documents. */
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
      const place = thread ?? before.item;
      if (place) {
        const people = { changed, all: changed };
        markFollowing(documents, mark, { thread: place, before, item: null, people });
        documents.mark('similar', threadId, { due: whenFound() });
      }
      // Another worker may just be storing this thread's list of similar threads. The mark has it stored once more.
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

/** Whether a build has other search documents than the one before it: then other threads may be similar. */
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
 * that link to it. Profiles show the thread's line. Where that has not changed, only those people are marked whose part
 * in the thread has changed. A `whole` mark doubts what is stored, so then everybody is marked.
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
    thread: Pick<ThreadRecord, '_id' | 'serverId'> & { deleted?: boolean };
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
  // Nobody knows any more by which title other threads show a deleted one.
  const isRenamed = thread.deleted === true || before.item?.title !== item?.title;
  documents.mark(isRenamed ? 'links' : 'lists', threadId, { causes });
}
