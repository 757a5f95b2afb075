import type { ThreadRecord } from '../../../shared/store/records.js';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import { findAllGathered, findGathered } from '../../../shared/store/gather.js';
import type { ContributionView, ThreadItemView } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../deps.js';
import { guardBuild } from '../quarantine/guardBuild.js';
import { isQuarantined } from '../quarantine/tries.js';
import { clearPending, raiseRevision, raiseRevisions } from '../records/threadRevision.js';
import { documentSender } from '../search/documentSender.js';
import { removeDeletedDocuments, removeThreadDocuments } from '../search/removeDocuments.js';
import { noteThread } from '../similar/noteThread.js';
import { BodyWriter, storeBody, storeGone } from '../stores/bodyWriter.js';
import { dirtyThread, markDirty } from '../stores/dirtyMarks.js';
import { forgetErased } from '../stores/forgetPeople.js';
import { insertNewer, replaceNewer } from '../stores/replaceNewer.js';
import type { ThreadViews } from '../views/foldThread.js';
import { loadTargets } from './loadThread.js';
import { readThread } from './readThread.js';
import { refreshLinks } from './refreshLinks.js';

/**
 * Builds everything that is read of a thread from its records as they are now, stores it, announces it, and takes the
 * pending mark away, if it still is the one that was read. Does nothing for a thread that is not pending. May run
 * twice, late, or half: each write gives way to a newer revision, and the mark stays until all are done. Resolves with
 * false when it was set aside because its build always fails. `counted` says that the caller has counted this try.
 */
export async function projectThread(
  deps: IndexerDeps,
  threadId: string,
  { counted = false } = {},
): Promise<boolean> {
  const thread = await findGathered(deps.collections.threads, threadId);
  if (!thread) return true;
  if (thread.pending === undefined) return !isQuarantined(thread);
  return guardBuild(deps, thread, (current) => build(deps, current), counted);
}

/**
 * Takes a thread that was set aside out of everything that is read, as if nothing were said in it: what was deleted or
 * erased of it must not stay in views that cannot be built again.
 */
export async function unlistThread(deps: IndexerDeps, threadId: string): Promise<void> {
  const { threads } = deps.collections;
  await raiseRevision(threads, threadId);
  const thread = await threads.findOne({ _id: threadId });
  if (!thread) return;
  await removeThread(deps, thread);
  await finish(deps, thread, null);
}

/** Stores everything that is read of a thread as its records are now. */
async function build(deps: IndexerDeps, thread: ThreadRecord): Promise<void> {
  faultPoint('beforeViews');
  const views = thread.deleted ? null : await storeThread(deps, thread);
  if (!views) await removeThread(deps, thread);
  await finish(deps, thread, views);
}

/** Brings about what follows from a thread's views once they are stored, announces them and takes the mark away. */
async function finish(
  deps: IndexerDeps,
  thread: ThreadRecord,
  views: ThreadViews | null,
): Promise<void> {
  const { threads, dirty } = deps.collections;
  const { _id: threadId, serverId, channelId } = thread;
  const title = views?.title ?? '';
  // What a deleted thread was called by those that link to it is not known any more.
  if (thread.deleted || (thread.shownTitle ?? '') !== title) {
    await refreshLinks(deps.collections, threadId);
  }
  await markDirty(dirty, [dirtyThread(serverId, threadId)]);
  await noteThread(deps, threadId, views !== null);
  deps.announcer.announce({ threads: [{ threadId, serverId, channelId }] });
  faultPoint('beforeClear');
  await clearPending(threads, thread, title);
  deps.countProjected?.();
}

/** Body, participants, list item, contributions and search documents; null when nothing of the thread may be shown. */
async function storeThread(deps: IndexerDeps, thread: ThreadRecord): Promise<ThreadViews | null> {
  const { collections, search } = deps;
  const { _id, revision } = thread;
  const body = new BodyWriter(collections, `thread/${_id}`, revision);
  const sender = documentSender(search, revision);
  try {
    const views = await readThread(deps, thread, {
      begin: (opening) => body.write(opening),
      async add({ documents, bodyText }) {
        await sender.add(documents);
        await body.write(bodyText());
      },
    });
    if (!views) return null;
    await body.write(views.closing);
    const stored = Promise.all([
      storeContributions(deps, thread, views.contributions),
      body.finish(),
      storeBody(collections, `participants/${_id}`, revision, views.participants),
      storeItem(deps, views),
    ]);
    await Promise.all([
      stored.then(() => faultPoint('viewsStored')),
      sender.end(views.document),
      removeDeletedDocuments(collections, search, thread),
    ]);
    return views;
  } finally {
    body.abandon();
  }
}

async function storeItem(
  { collections }: IndexerDeps,
  { item, links }: ThreadViews,
): Promise<void> {
  await replaceNewer(collections.threadItems, [item], 'revision');
  await rebuildIfTargetsMoved(collections, item._id, links);
}

/** Nothing of the thread may be read: its views become tombstones, its search documents too. */
async function removeThread(deps: IndexerDeps, thread: ThreadRecord): Promise<void> {
  const { collections, search } = deps;
  const { _id, revision } = thread;
  await storeGone(collections, `thread/${_id}`, revision);
  await storeGone(collections, `participants/${_id}`, revision);
  await replaceNewer(collections.threadItems, [unlistedItem(thread)], 'revision');
  await removeThreadDocuments(collections, search, thread);
  await storeContributions(deps, thread, []);
}

function unlistedItem({ _id, revision, serverId, channelId }: ThreadRecord): ThreadItemView {
  const keys = { latestKey: '', popularKey: '', activeKey: '', title: '' };
  const facts = { status: 'open' as const, messages: 0, botMessages: 0, reactions: [] };
  return { _id, revision, serverId, channelId, scopes: [], ...keys, item: '', facts, linksTo: [] };
}

/**
 * Stores each person's part, with zeros for those who had one before, so that a late older write is refused.
 */
async function storeContributions(
  { collections }: IndexerDeps,
  { _id: threadId, revision }: ThreadRecord,
  contributions: ContributionView[],
): Promise<void> {
  const stored = await findAllGathered(collections.contributions, 'threadId', threadId);
  const userIds = new Set(contributions.map(({ userId }) => userId));
  const withdrawn = stored
    .filter(({ userId, messages }) => messages > 0 && !userIds.has(userId))
    .map((row) => ({ ...row, revision, messages: 0, threads: 0, reactions: 0, days: [] }));
  const known = new Set(stored.map(({ _id }) => _id));
  await Promise.all([
    insertNewer(
      collections.contributions,
      contributions.filter(({ _id }) => !known.has(_id)),
      'revision',
    ),
    replaceNewer(
      collections.contributions,
      [...contributions.filter(({ _id }) => known.has(_id)), ...withdrawn],
      'revision',
    ),
  ]);
  await forgetErased(collections, [...userIds, ...withdrawn.map(({ userId }) => userId)]);
}

/**
 * What it links to may have appeared or been renamed while it was being built, before its links were stored for
 * refreshLinks to find: one of the two always sees the other.
 */
async function rebuildIfTargetsMoved(
  collections: IndexerDeps['collections'],
  threadId: string,
  links: ReadonlyMap<string, string | undefined>,
): Promise<void> {
  const now = await loadTargets(collections, [...links.keys()]);
  const moved = [...links].some(([id, name]) => id !== threadId && now.get(id)?.name !== name);
  if (moved) await raiseRevisions(collections.threads, [threadId]);
}
