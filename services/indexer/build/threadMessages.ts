import type { Collection, Filter, FindCursor } from 'mongodb';
import { groupBy } from '../../../shared/platform/groupBy.js';
import type { Collections } from '../../../shared/store/collections.js';
import { askGathered } from '../../../shared/store/gather.js';
import type { MessageRecord } from '../../../shared/store/records.js';

/** The most messages that one call reads when it reads the first messages of several threads. */
const MOST_GATHERED = 1_000;

const SHOWN: Filter<MessageRecord> = { counted: true, deleted: { $ne: true } };

/** Messages that readers see, in order; `more` narrows them. */
export function countedMessages(
  { messages }: Pick<Collections, 'messages'>,
  threadId: string,
  more: Filter<MessageRecord> = {},
): FindCursor<MessageRecord> {
  return messages
    .find({ threadId, ...SHOWN, ...more })
    .sort({ order: 1 })
    .batchSize(500);
}

/**
 * Yields the messages that `countedMessages` finds, for callers that read many threads at once. One call reads several
 * threads together, as far as one reply holds their messages. If a thread has more, further calls read the rest of it.
 */
export async function* threadMessages(
  { messages }: Pick<Collections, 'messages'>,
  threadId: string,
): AsyncGenerator<MessageRecord, undefined> {
  const { first, isAll } = await askGathered(messages, 'first of threads', readFirst, threadId);
  yield* first;
  if (isAll) return undefined;
  const last = first.at(-1);
  yield* countedMessages({ messages }, threadId, last ? { order: { $gt: last.order } } : {});
  return undefined;
}

interface First {
  first: MessageRecord[];
  isAll: boolean;
}

/** The first messages of some threads, as many as one reply of MongoDB holds. The reply may end within a thread. */
async function readFirst(
  messages: Collection<MessageRecord>,
  threadIds: string[],
): Promise<First[]> {
  const cursor = messages
    .find({ threadId: { $in: [...new Set(threadIds)] }, ...SHOWN })
    .sort({ threadId: 1, order: 1 })
    .hint('thread_order')
    .limit(MOST_GATHERED)
    .batchSize(MOST_GATHERED);
  const one = await cursor.next();
  const found = one ? [one, ...cursor.readBufferedDocuments()] : [];
  const isWhole = found.length < MOST_GATHERED && cursor.id?.isZero() !== false;
  await cursor.close();
  const byThread = groupBy(found, (message) => message.threadId);
  const cutAt = isWhole ? undefined : found.at(-1)?.threadId;
  return threadIds.map((threadId) => ({
    first: byThread.get(threadId) ?? [],
    isAll: cutAt === undefined || threadId < cutAt,
  }));
}
