import type { Filter, FindCursor } from 'mongodb';
import { findGathered } from '../../../shared/store/gather.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { MessageRecord, ThreadRecord } from '../../../shared/store/records.js';
import { collectReferences } from '../content/collectReferences.js';
import type { LinkTargets, ThreadModel } from '../views/threadModel.js';

type Records = Pick<Collections, 'threads' | 'channels' | 'messages'>;

/** Messages that readers see, in order; `more` narrows them. */
export function countedMessages(
  { messages }: Pick<Collections, 'messages'>,
  threadId: string,
  more: Filter<MessageRecord> = {},
): FindCursor<MessageRecord> {
  return messages
    .find({ threadId, counted: true, deleted: { $ne: true }, ...more })
    .sort({ order: 1 })
    .batchSize(500);
}

/** What a thread's views are built from, with its messages to be read once, in order. */
export interface LoadedThread {
  model: ThreadModel;
  messages: AsyncIterable<MessageRecord>;
}

/** Loads a thread; null when nothing of it may be shown (deleted, or nothing said in it). */
export async function loadThread(
  records: Records,
  thread: ThreadRecord,
  resolvedTags: ReadonlySet<string>,
): Promise<LoadedThread | null> {
  if (thread.deleted) return null;
  const cursor = countedMessages(records, thread._id);
  const [first, channel] = await Promise.all([
    cursor.next(),
    findGathered(records.channels, thread.channelId),
  ]);
  if (!first || !channel) return null;
  const ownersMessage = await findOwnersMessage(records, thread, first);
  return {
    model: { thread, channel, first, ownersMessage, resolvedTags },
    messages: startingWith(first, cursor),
  };
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

async function findOwnersMessage(
  records: Records,
  thread: ThreadRecord,
  first: MessageRecord,
): Promise<MessageRecord | null> {
  if (first._id === thread._id || !thread.ownerId) return null;
  return countedMessages(records, thread._id, { 'author.id': thread.ownerId }).limit(1).next();
}

/** Ids of threads and channels that messages refer to. */
function referencedChannels(messages: MessageRecord[]): string[] {
  return [
    ...new Set(
      messages.flatMap(({ content, forwarded }) => [
        ...collectReferences(content).channelIds,
        ...(forwarded ? collectReferences(forwarded.content).channelIds : []),
      ]),
    ),
  ];
}

/**
 * What a thread's messages refer to, the thread itself among it: whether its own list item is stored yet must make no
 * difference.
 */
export async function linkTargets(
  collections: Pick<Collections, 'threadItems' | 'channels'>,
  { _id, title }: Pick<ThreadRecord, '_id' | 'title'>,
  messages: MessageRecord[],
): Promise<{ ids: string[]; targets: LinkTargets }> {
  const ids = referencedChannels(messages);
  const targets = new Map(await loadTargets(collections, ids));
  if (ids.includes(_id)) targets.set(_id, { kind: 'thread', name: title });
  return { ids, targets };
}

/** Which of some ids are listed threads or channels of this archive, with their names. */
export async function loadTargets(
  { threadItems, channels }: Pick<Collections, 'threadItems' | 'channels'>,
  ids: string[],
): Promise<LinkTargets> {
  if (ids.length === 0) return new Map();
  const [items, named] = await Promise.all([
    threadItems
      .find({ _id: { $in: ids }, item: { $ne: '' } }, { projection: { title: 1 } })
      .toArray(),
    channels
      .find({ _id: { $in: ids }, deleted: { $ne: true } }, { projection: { name: 1 } })
      .toArray(),
  ]);
  const targets = new Map<string, { kind: 'thread' | 'channel'; name: string }>();
  for (const { _id, name } of named) targets.set(_id, { kind: 'channel', name });
  for (const { _id, title } of items) targets.set(_id, { kind: 'thread', name: title });
  return targets;
}
