import { batches } from '../../../shared/platform/batches.js';
import type { Collections } from '../../../shared/store/collections.js';
import { findAllGathered } from '../../../shared/store/gather.js';
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
  const said = messages.find({ threadId, counted: true }, { projection: { _id: 1 } });
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

/** Leaves tombstones for those messages of a thread that were deleted. */
export async function removeDeletedDocuments(
  { messages }: Messages,
  search: SearchWriter,
  threadId: string,
  version: number,
): Promise<void> {
  const deleted = await findAllGathered(messages, 'threadId', threadId, {
    filter: { deleted: true },
    fields: ['_id'],
  });
  const ids = deleted.map((message) => message._id);
  await search.remove('message', ids, threadId, version);
}
