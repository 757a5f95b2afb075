import { batches } from '../../../shared/platform/batches.js';
import type { Collections } from '../../../shared/store/collections.js';
import { findAllGathered } from '../../../shared/store/gather.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import type { SearchWriter } from '../stores/searchWriter.js';

type Messages = Pick<Collections, 'messages'>;
type Revised = Pick<ThreadRecord, '_id' | 'revision'>;

/** Leaves tombstones for a thread and all its messages in the search index. */
export async function removeThreadDocuments(
  { messages }: Messages,
  search: SearchWriter,
  { _id, revision }: Revised,
): Promise<void> {
  await search.remove('thread', [_id], _id, revision);
  const said = messages.find({ threadId: _id, counted: true }, { projection: { _id: 1 } });
  for await (const batch of batches(said)) {
    const ids = batch.map((message) => message._id);
    await search.remove('message', ids, _id, revision);
  }
}

/** Leaves tombstones for those messages of a thread that were deleted. */
export async function removeDeletedDocuments(
  { messages }: Messages,
  search: SearchWriter,
  { _id, revision }: Revised,
): Promise<void> {
  const deleted = await findAllGathered(messages, 'threadId', _id, {
    filter: { deleted: true },
    fields: ['_id'],
  });
  const ids = deleted.map((message) => message._id);
  await search.remove('message', ids, _id, revision);
}
