import type { ThreadSummary } from '../../../shared/contract/threads.js';
import { batches } from '../../../shared/platform/batches.js';
import type { MessageRecord, ThreadRecord } from '../../../shared/store/records.js';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import { findAllGathered, findGathered } from '../../../shared/store/gather.js';
import type { MessageDocument } from '../../../shared/store/searchIndex.js';
import type { ThreadItemView } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../deps.js';
import { guardBuild } from '../quarantine/guardBuild.js';
import { isSetAside } from '../quarantine/tries.js';
import { clearPending, raiseRevision, raiseRevisions } from '../records/threadRevision.js';
import { noteThread } from '../similar/noteThread.js';
import { BodyWriter, storeBody, storeGone } from '../stores/bodyWriter.js';
import { dirtyThread, markDirty } from '../stores/dirtyMarks.js';
import { forgetErased } from '../stores/forgetPeople.js';
import { insertNewer, replaceNewer } from '../stores/replaceNewer.js';
import { presentMessage } from '../views/presentMessage.js';
import {
  conversationText,
  messageDocument,
  threadDocument,
  type ConversationText,
} from '../views/searchDocuments.js';
import { tallyPeople, type PeopleTally } from '../views/tallyPeople.js';
import type { LinkTargets, ThreadModel } from '../views/threadModel.js';
import {
  detailClosing,
  detailOpening,
  startingMessage,
  threadHead,
  threadItem,
  threadSummary,
  type ThreadHead,
} from '../views/threadViews.js';
import { MESSAGE_BATCH } from './messageBatch.js';
import { refreshLinks } from './refreshLinks.js';
import { linkTargets, loadTargets, loadThread, type LoadedThread } from './loadThread.js';

/** Links kept for a thread, so that it is built again when what it links to appears. */
export const MAX_LINKS = 1_000;

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
  if (thread.pending === undefined) return !isSetAside(thread);
  return guardBuild(deps, thread, (current) => build(deps, current), counted);
}

/**
 * Takes a thread that was set aside out of everything that is read, as if nothing were said in it: what was deleted or
 * erased of it must not stay in views that cannot be built again.
 */
export async function hideThread(deps: IndexerDeps, threadId: string): Promise<void> {
  const { threads } = deps.collections;
  await raiseRevision(threads, threadId);
  const thread = await threads.findOne({ _id: threadId });
  if (thread) await store(deps, thread, null);
}

async function build(deps: IndexerDeps, thread: ThreadRecord): Promise<void> {
  await store(deps, thread, await loadThread(deps.collections, thread, deps.resolvedTags));
}

/** Stores everything that is read of a thread, or that nothing of it is. */
async function store(
  deps: IndexerDeps,
  thread: ThreadRecord,
  loaded: LoadedThread | null,
): Promise<void> {
  const { threads } = deps.collections;
  const { _id: threadId } = thread;
  faultPoint('beforeViews');
  const title = loaded ? await buildThread(deps, loaded) : await removeThread(deps, thread);
  // What a deleted thread was called by those that link to it is not known any more.
  if (thread.deleted || (thread.shownTitle ?? '') !== title) {
    await refreshLinks(deps.collections, threadId);
  }
  await markDirty(deps.collections.dirty, [dirtyThread(thread.serverId, threadId)]);
  await noteThread(deps, threadId, loaded !== null);
  const { serverId, channelId } = thread;
  deps.announcer.announce({ threads: [{ threadId, serverId, channelId }] });
  faultPoint('beforeClear');
  await clearPending(threads, thread, title);
  deps.countProjected?.();
}

/** Bodies, list item and search documents, in one pass over the messages. Resolves with the title shown. */
async function buildThread(deps: IndexerDeps, { model, messages }: LoadedThread): Promise<string> {
  const { thread } = model;
  const head = threadHead(model);
  const detail = new BodyWriter(deps.collections, `thread/${thread._id}`, thread.revision);
  try {
    await detail.write(detailOpening(head));
    const pass = await readThrough(deps, model, { head, messages, detail });
    const summary = threadSummary(head, model.first, pass);
    await detail.write(detailClosing(summary));
    const views = Promise.all([
      storeContributions(deps, thread, pass.people),
      detail.finish(),
      storeParticipants(deps, thread, pass.people),
      storeItem(deps, thread, summary, pass),
    ]);
    await Promise.all([
      views.then(() => faultPoint('viewsStored')),
      deps.search.write(
        [...pass.unsent, threadDocument(head, summary, pass.conversation)],
        thread.revision,
      ),
      removeDeletedMessages(deps, thread),
    ]);
    return head.title;
  } finally {
    detail.abandon();
  }
}

async function storeParticipants(
  { collections }: IndexerDeps,
  { _id, revision }: ThreadRecord,
  people: PeopleTally,
): Promise<void> {
  await storeBody(
    collections,
    `participants/${_id}`,
    revision,
    JSON.stringify(people.participants()),
  );
}

async function storeItem(
  deps: IndexerDeps,
  { _id, revision }: ThreadRecord,
  summary: ThreadSummary,
  { people, links }: Pass,
): Promise<void> {
  const facts = { status: summary.status, ...people.facts() };
  const item = threadItem(summary, facts, [...links.keys()], revision);
  await replaceNewer(deps.collections.threadItems, [item], 'revision');
  await rebuildIfTargetsMoved(deps, _id, links);
}

/** What one pass over a thread's messages gathers. */
interface Pass {
  messages: number;
  lastAt: Date;
  people: PeopleTally;
  conversation: ConversationText;
  /** What the messages link to: id -> the name it was shown by, undefined while it is not in the archive. */
  links: Map<string, string | undefined>;
  /** Search documents of the last batch, to go with the thread's own. */
  unsent: MessageDocument[];
}

async function readThrough(
  deps: IndexerDeps,
  model: ThreadModel,
  {
    head,
    messages,
    detail,
  }: { head: ThreadHead; messages: AsyncIterable<MessageRecord>; detail: BodyWriter },
): Promise<Pass> {
  const { thread, first } = model;
  const startId = startingMessage(model)?._id;
  const pass: Pass = {
    messages: 0,
    lastAt: first.createdAt,
    people: tallyPeople(),
    conversation: conversationText(),
    links: new Map(),
    unsent: [],
  };
  for await (const batch of batches(messages, MESSAGE_BATCH)) {
    await deps.search.write(pass.unsent, thread.revision);
    const targets = await lookUpLinks(deps, thread, batch, pass.links);
    for (const message of batch) {
      const json = JSON.stringify(presentMessage(message, targets, thread.serverId));
      await detail.write(pass.messages === 0 ? json : `,${json}`);
      pass.people.add(message, message._id === startId);
      pass.conversation.add(message);
      pass.messages += 1;
      pass.lastAt = message.createdAt;
    }
    pass.unsent = batch.map((message) => messageDocument(head, message));
  }
  return pass;
}

async function lookUpLinks(
  { collections }: IndexerDeps,
  thread: ThreadRecord,
  batch: MessageRecord[],
  links: Pass['links'],
): Promise<LinkTargets> {
  const { ids, targets } = await linkTargets(collections, thread, batch);
  for (const id of ids) {
    if (links.size < MAX_LINKS) links.set(id, targets.get(id)?.name);
  }
  return targets;
}

/** Nothing of the thread may be read: its views become tombstones, its search documents too. */
async function removeThread(deps: IndexerDeps, thread: ThreadRecord): Promise<string> {
  const { collections, search } = deps;
  const { _id, revision } = thread;
  await storeGone(collections, `thread/${_id}`, revision);
  await storeGone(collections, `participants/${_id}`, revision);
  await replaceNewer(collections.threadItems, [unlistedItem(thread)], 'revision');
  await search.remove('thread', [_id], _id, revision);
  const said = collections.messages.find(
    { threadId: _id, counted: true },
    { projection: { _id: 1 } },
  );
  for await (const batch of batches(said)) {
    await search.remove(
      'message',
      batch.map((message) => message._id),
      _id,
      revision,
    );
  }
  await storeContributions(deps, thread, tallyPeople());
  return '';
}

function unlistedItem({ _id, revision, serverId, channelId }: ThreadRecord): ThreadItemView {
  const keys = { latestKey: '', popularKey: '', activeKey: '', title: '' };
  const facts = { status: 'open' as const, messages: 0, botMessages: 0, reactions: [] };
  return { _id, revision, serverId, channelId, scopes: [], ...keys, item: '', facts, linksTo: [] };
}

async function removeDeletedMessages(
  { collections, search }: IndexerDeps,
  thread: ThreadRecord,
): Promise<void> {
  const deleted = await findAllGathered(collections.messages, 'threadId', thread._id, {
    filter: { deleted: true },
    fields: ['_id'],
  });
  await search.remove(
    'message',
    deleted.map((message) => message._id),
    thread._id,
    thread.revision,
  );
}

/**
 * Stores each person's part, with zeros for those who had one before, so that a late older write is refused.
 */
async function storeContributions(
  { collections }: IndexerDeps,
  { _id: threadId, serverId, revision }: ThreadRecord,
  people: PeopleTally,
): Promise<void> {
  const contributions = people.contributions(threadId, serverId, revision);
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
  { collections }: IndexerDeps,
  threadId: string,
  links: ReadonlyMap<string, string | undefined>,
): Promise<void> {
  const now = await loadTargets(collections, [...links.keys()]);
  const moved = [...links].some(([id, name]) => id !== threadId && now.get(id)?.name !== name);
  if (moved) await raiseRevisions(collections.threads, [threadId]);
}
