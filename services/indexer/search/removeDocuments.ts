import { batches } from '../../../shared/platform/batches.js';
import type { Collections } from '../../../shared/store/collections.js';
import { groupBy } from '../../../shared/platform/groupBy.js';
import { askGathered } from '../../../shared/store/gather.js';
import type { MessageRecord } from '../../../shared/store/records.js';
import type { SearchWriter } from '../stores/searchWriter.js';

type Messages = Pick<Collections, 'messages'>;

/** Leaves tombstones for a thread and all its messages in the search index. */
export async function removeThreadDocuments(
  { messages }: Messages,
  search: SearchWriter,
  threadId: string,
  version: number,
): Promise<void> {
  await search.remove('thread', [threadId], threadId, version);
  const said = messages.find({ threadId }, { projection: { _id: 1 } });
  for await (const batch of batches(said)) {
    const ids = batch.map((message) => message._id);
    await search.remove('message', ids, threadId, version);
  }
}

/** Leaves tombstones for some messages of one thread. */
export async function removeMessageDocuments(
  search: SearchWriter,
  messages: readonly Pick<MessageRecord, '_id' | 'threadId'>[],
  version: number,
): Promise<void> {
  const [first] = messages;
  const ids = messages.map(({ _id }) => _id);
  if (first) await search.remove('message', ids, first.threadId, version);
}

/**
 * Leaves tombstones for the deleted messages of a thread, and for its notices. An earlier source may have told a notice
 * as a person's message. In this case the index still holds it.
 */
export async function removeUnshownDocuments(
  { messages }: Messages,
  search: SearchWriter,
  threadId: string,
  version: number,
): Promise<void> {
  const ids = await askGathered(messages, 'unshown of threads', findUnshown, threadId);
  await search.remove('message', ids, threadId, version);
}

/**
 * The ids of the deleted messages and notices of some threads. Each of the two kinds has an index of its own. MongoDB
 * uses them only where each side of the `$or` names the threads.
 */
async function findUnshown(
  messages: Messages['messages'],
  threadIds: string[],
): Promise<string[][]> {
  const threadId = { $in: [...new Set(threadIds)] };
  const found = await messages
    .find({
      $or: [
        { threadId, deleted: true },
        { threadId, counted: false },
      ],
    })
    .project<Pick<MessageRecord, '_id' | 'threadId'>>({ threadId: 1 })
    .toArray();
  const byThread = groupBy(found, (message) => message.threadId);
  return threadIds.map((id) => (byThread.get(id) ?? []).map(({ _id }) => _id));
}
