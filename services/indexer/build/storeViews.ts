import { batches } from '../../../shared/platform/batches.js';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import { bodyNames, type BodyKind } from '../../../shared/store/bodyKinds.js';
import { findForwards, forwardsOf, unshownForwards } from '../../../shared/store/forwards.js';
import { bodyOwner, removeOlderPieces, removePieces } from '../../../shared/store/pieces.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import { unshownPeople } from '../../../shared/store/unshownPeople.js';
import type { BodyView, ContributionView, ThreadItemView } from '../../../shared/store/views.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { markMirror } from '../mirror/markMirror.js';
import { whenFound } from '../similar/findSimilarAgain.js';
import { goneBodies } from '../stores/bodyWriter.js';
import { endMark, freeMark, isHeld, readsOf } from '../work/claims.js';
import type { Documents } from '../work/change.js';
import { loadTargets } from './linkTargets.js';
import { nextBuildDue } from './nextBuildDue.js';
import { putBodies, putRows } from './putViews.js';
import type { ReadViews } from './readThread.js';
import type { StoredThread } from './storedThread.js';

/** The bodies that the build of a thread stores. The list of similar threads is stored when these are looked for. */
export type BuiltKind = Exclude<BodyKind<'thread'>, 'similar'>;

/** What a build has made, and has not stored yet. */
export interface BuiltThread {
  views: ReadViews;
  bodies: Record<BuiltKind, BodyView>;
}

/**
 * Stores the views of a thread in one transaction, which also marks what follows from them. It takes the thread's mark
 * away, unless the thread shows something of other threads (`endIfSame`). Then it announces the thread. Stores nothing
 * where the claim was lost.
 */
export async function storeViews(
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
      if (!showsOthers) endMark(documents, mark, nextBuildDue(item.facts.messages));
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
        endMark(documents, mark, nextBuildDue(views.item.facts.messages));
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
