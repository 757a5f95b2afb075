import type { Collections } from '../../../../shared/store/collections.js';
import type {
  ChannelRecord,
  MessageRecord,
  ThreadRecord,
} from '../../../../shared/store/records.js';
import type { ThreadItemView } from '../../../../shared/store/views.js';
import type { IndexerDeps } from '../../deps.js';
import { threadHead, threadItem, threadSummary } from '../../views/threadViews.js';
import { within, type IdWindow } from '../idWindow.js';
import {
  countMessage,
  countUnseen,
  emptyRecount,
  READ_FIELDS,
  type ReadMessage,
  type Recount,
} from './recount.js';

/** A thread as its records say it must be shown. */
export interface ExpectedThread {
  thread: ThreadRecord;
  count: Recount;
  /** Something is said in it, but its channel or server is not recorded: nothing tells how it must be shown. */
  isOrphan: boolean;
  /** Its list item, but for the links of its messages; absent when nothing of it may be shown. */
  item?: ThreadItemView;
}

/** The threads of a window by id, and messages of threads that are not recorded. */
export interface ExpectedThreads {
  threads: ReadonlyMap<string, ExpectedThread>;
  /** Thread id -> messages. */
  strays: ReadonlyMap<string, number>;
  channels: ReadonlyMap<string, ChannelRecord>;
}

type Deps = Pick<IndexerDeps, 'collections' | 'resolvedTags'>;

/** Reads the records of a window's threads and counts them. */
export async function expectThreads(deps: Deps, window: IdWindow): Promise<ExpectedThreads> {
  const { collections } = deps;
  const records = await collections.threads.find({ _id: within(window) }).toArray();
  const threads = new Map<string, ExpectedThread>(
    records.map((thread) => [thread._id, { thread, count: emptyRecount(), isOrphan: false }]),
  );
  const strays = await countMessages(collections, window, threads);
  const channels = await findChannels(collections, records);
  const servers = await recordedServers(collections, records);
  for (const one of threads.values()) {
    const { thread, count } = one;
    const isPlaced = channels.has(thread.channelId) && servers.has(thread.serverId);
    one.isOrphan = !thread.deleted && count.ids.length > 0 && !isPlaced;
  }
  await addItems(deps, threads, channels);
  return { threads, strays, channels };
}

async function countMessages(
  { messages }: Collections,
  window: IdWindow,
  threads: Map<string, ExpectedThread>,
): Promise<Map<string, number>> {
  const strays = new Map<string, number>();
  const said = messages
    .find({ threadId: within(window), $nor: [{ deleted: true, content: '' }] })
    .project<ReadMessage>(READ_FIELDS)
    .sort({ threadId: 1, order: 1 })
    .batchSize(2_000);
  for await (const message of said) {
    const { threadId } = message;
    const known = threads.get(threadId);
    if (!message.counted || message.deleted) {
      if (known) countUnseen(known.count, message);
    } else if (known) countMessage(known.count, known.thread, message);
    else strays.set(threadId, (strays.get(threadId) ?? 0) + 1);
  }
  return strays;
}

async function findChannels(
  { channels }: Collections,
  threads: ThreadRecord[],
): Promise<Map<string, ChannelRecord>> {
  const ids = [...new Set(threads.map(({ channelId }) => channelId))];
  const found = await channels.find({ _id: { $in: ids } }).toArray();
  return new Map(found.map((channel) => [channel._id, channel]));
}

async function recordedServers(
  { servers }: Collections,
  threads: ThreadRecord[],
): Promise<Set<string>> {
  const ids = [...new Set(threads.map(({ serverId }) => serverId))];
  const found: string[] = await servers.distinct('_id', { _id: { $in: ids } });
  return new Set(found);
}

async function addItems(
  { collections, resolvedTags }: Deps,
  threads: ReadonlyMap<string, ExpectedThread>,
  channels: ReadonlyMap<string, ChannelRecord>,
): Promise<void> {
  const said = await openingMessages(collections, [...threads.values()]);
  for (const expected of threads.values()) {
    const { thread, count } = expected;
    const channel = channels.get(thread.channelId);
    const first = said.get(count.ids[0] ?? '');
    if (thread.deleted || !channel || !first) continue;
    const ownersMessage = said.get(count.starterId ?? '') ?? null;
    expected.item = itemOf({ thread, channel, first, ownersMessage, resolvedTags }, count);
  }
}

/** The first message of each thread, and the one that counts as starting it. */
async function openingMessages(
  { messages }: Collections,
  threads: ExpectedThread[],
): Promise<Map<string, MessageRecord>> {
  const ids = threads.flatMap(({ count: { ids, starterId } }) => [
    ...ids.slice(0, 1),
    ...(starterId === undefined ? [] : [starterId]),
  ]);
  const found = await messages.find({ _id: { $in: [...new Set(ids)] } }).toArray();
  return new Map(found.map((message) => [message._id, message]));
}

function itemOf(model: Parameters<typeof threadHead>[0], count: Recount): ThreadItemView {
  const { thread, first } = model;
  const messages = count.ids.length;
  const summary = threadSummary(threadHead(model), first, { messages, lastAt: count.lastAt! });
  const facts = {
    ...{ status: summary.status, messages, botMessages: count.bots },
    reactions: [...count.emojis].map(([emoji, given]) => ({ emoji, count: given })),
  };
  return threadItem(summary, facts, [], thread.revision);
}
