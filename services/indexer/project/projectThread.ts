import type { ThreadSummary } from '../../../shared/contract/threads.js';
import type { MessageRecord, ThreadRecord } from '../../../shared/store/records.js';
import type { MessageDocument } from '../../../shared/store/searchIndex.js';
import type { ContributionView, ThreadItemView } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../deps.js';
import { clearPending, raiseRevisions } from '../records/threadRevision.js';
import { BodyWriter, storeBody, storeGone } from '../stores/bodyWriter.js';
import { dirtyMember, dirtyServer, dirtyUser, markDirty } from '../stores/dirtyMarks.js';
import { replaceManyNewer, replaceNewer } from '../stores/replaceNewer.js';
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
import { countedMessages, loadTargets, loadThread, referencedChannels } from './loadThread.js';

/** Messages rendered and indexed at once: what bounds the memory of a very long thread. */
const BATCH = 500;
/** Links kept for a thread, so that it is built again when what it links to appears. */
const MAX_LINKS = 1_000;

/**
 * Builds everything that is read of a thread from its records as they are now, stores it, announces it, and takes the
 * pending mark away, if it still is the one that was read. Does nothing for a thread that is not pending. May run
 * twice, late, or half: each write gives way to a newer revision, and the mark stays until all are done.
 */
export async function projectThread(deps: IndexerDeps, threadId: string): Promise<void> {
  const { threads } = deps.collections;
  const thread = await threads.findOne({ _id: threadId });
  if (thread?.pending === undefined) return;
  const model = await loadThread(deps.collections, thread, deps.resolvedTags);
  const before = await deps.collections.threadItems.findOne(
    { _id: threadId },
    { projection: { title: 1 } },
  );
  const built = model ? await buildThread(deps, model) : await removeThread(deps, thread);
  await storePeople(deps, thread, built.contributions);
  if ((before?.title ?? '') !== (built.summary?.title ?? ''))
    await refreshLinkingThreads(deps, threadId);
  await clearPending(threads, threadId, thread.revision);
  deps.announcer.announce({
    threads: [{ threadId, serverId: thread.serverId, channelId: thread.channelId }],
  });
}

interface BuiltThread {
  summary: ThreadSummary | null;
  contributions: ContributionView[];
}

/** Bodies, list item and search documents, in one pass over the messages; people are counted on the way. */
async function buildThread(deps: IndexerDeps, model: ThreadModel): Promise<BuiltThread> {
  const { collections, search } = deps;
  const { _id: threadId, serverId, revision } = model.thread;
  const head = threadHead(model);
  const detail = new BodyWriter(collections, `thread/${threadId}`, revision);
  try {
    await detail.write(detailOpening(head));
    const pass = await readThrough(deps, model, head, detail);
    const summary = threadSummary(head, model.first, pass);
    await detail.write(detailClosing(summary));
    await detail.finish();
    const participants = JSON.stringify(pass.people.participants());
    await storeBody(collections, `participants/${threadId}`, revision, participants);
    const facts = { status: head.status, ...pass.people.facts() };
    const item = threadItem(summary, facts, [...pass.links.keys()], revision);
    await replaceNewer(collections.threadItems, item, 'revision');
    await rebuildIfTargetsMoved(deps, threadId, pass.links);
    const last = [...pass.unsent, threadDocument(head, summary, pass.conversation)];
    await search.write(last, revision);
    await tombstoneDeletedMessages(deps, model.thread);
    return { summary, contributions: pass.people.contributions(threadId, serverId, revision) };
  } finally {
    detail.abandon();
  }
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
  head: ThreadHead,
  detail: BodyWriter,
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
  for await (const batch of batches(countedMessages(deps.collections, thread._id), BATCH)) {
    await deps.search.write(pass.unsent, thread.revision);
    const targets = await lookUpLinks(deps, batch, pass.links);
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
  batch: MessageRecord[],
  links: Pass['links'],
): Promise<LinkTargets> {
  const ids = referencedChannels(batch);
  const targets = await loadTargets(collections, ids);
  for (const id of ids) {
    if (links.size < MAX_LINKS) links.set(id, targets.get(id)?.name);
  }
  return targets;
}

/** Nothing of the thread may be read: its views become tombstones, its search documents too. */
async function removeThread(deps: IndexerDeps, thread: ThreadRecord): Promise<BuiltThread> {
  const { collections, search } = deps;
  const { _id, revision } = thread;
  await storeGone(collections, `thread/${_id}`, revision);
  await storeGone(collections, `participants/${_id}`, revision);
  await replaceNewer(collections.threadItems, unlistedItem(thread), 'revision');
  await search.remove('thread', [_id], _id, revision);
  const cursor = collections.messages.find(
    { threadId: _id, counted: true },
    { projection: { _id: 1 } },
  );
  for await (const batch of batches(cursor, BATCH)) {
    await search.remove(
      'message',
      batch.map((message) => message._id),
      _id,
      revision,
    );
  }
  return { summary: null, contributions: [] };
}

function unlistedItem({ _id, revision, serverId, channelId }: ThreadRecord): ThreadItemView {
  const keys = { latestKey: '', popularKey: '', activeKey: '', title: '' };
  const facts = { status: 'open' as const, messages: 0, botMessages: 0, reactions: [] };
  return { _id, revision, serverId, channelId, scopes: [], ...keys, item: '', facts, linksTo: [] };
}

async function tombstoneDeletedMessages(
  { collections, search }: IndexerDeps,
  thread: ThreadRecord,
): Promise<void> {
  const cursor = collections.messages.find(
    { threadId: thread._id, deleted: true },
    { projection: { _id: 1 } },
  );
  for await (const batch of batches(cursor, BATCH)) {
    await search.remove(
      'message',
      batch.map((message) => message._id),
      thread._id,
      thread.revision,
    );
  }
}

/**
 * Stores each person's part, with zeros for those who had one before, so that a late older write is refused; and marks
 * everyone concerned, and the server, to be counted again.
 */
async function storePeople(
  { collections }: IndexerDeps,
  thread: ThreadRecord,
  contributions: ContributionView[],
): Promise<void> {
  const { _id: threadId, serverId, revision } = thread;
  const stored = await collections.contributions.find({ threadId, messages: { $gt: 0 } }).toArray();
  const userIds = new Set(contributions.map(({ userId }) => userId));
  const withdrawn = stored
    .filter(({ userId }) => !userIds.has(userId))
    .map((row): ContributionView => ({
      ...row,
      revision,
      messages: 0,
      threads: 0,
      reactions: 0,
      days: [],
    }));
  const everyone = [...userIds, ...withdrawn.map(({ userId }) => userId)];
  await replaceManyNewer(collections.contributions, [...contributions, ...withdrawn], 'revision');
  await markDirty(collections.dirty, [
    dirtyServer(serverId),
    ...everyone.flatMap((userId) => [dirtyMember(serverId, userId), dirtyUser(userId)]),
  ]);
}

/**
 * What it links to may have appeared or been renamed while it was being built, before its links were stored for
 * refreshLinkingThreads to find: one of the two always sees the other.
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

/** Threads that link here show its title, or an outside address while it is not in the archive. */
async function refreshLinkingThreads(
  { collections }: IndexerDeps,
  threadId: string,
): Promise<void> {
  const linking = await collections.threadItems
    .find({ linksTo: threadId, _id: { $ne: threadId } }, { projection: { _id: 1 } })
    .toArray();
  await raiseRevisions(
    collections.threads,
    linking.map(({ _id }) => _id),
  );
}

async function* batches<T>(source: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const one of source) {
    batch.push(one);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
