import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { removalCause } from '../../../shared/jobs/removalCause.js';
import { liveTime } from '../../../shared/store/sourceTime.js';
import type { IndexerDeps } from '../deps.js';
import { redactMessage } from '../records/redactMessage.js';
import { nowMicroseconds } from '../stores/nextVersion.js';
import { settleAndRefresh } from './removal.js';

/**
 * Removes a message. Resolves when nothing of it can be read. Its tombstone ranks as live data. So the message stays
 * deleted, even if an export had put it into a wrong thread and the platform tells of it in another one.
 */
export async function deleteMessage(
  deps: IndexerDeps,
  { messageId }: JobPayloads['delete-message'],
): Promise<{ messages: number }> {
  const { messages, threads } = deps.collections;
  const found = await messages.findOne({ _id: messageId }, { projection: { threadId: 1 } });
  if (!found) return { messages: 0 };
  const cause = removalCause('delete-message', messageId);
  const { isNew, threadId } = await deps.commit({
    // A thread that the message started has the same id.
    reads: { messages: [messageId], threads: [messageId] },
    decide(documents) {
      // The message may have moved to another thread meanwhile, or its record may have been removed.
      const { threadId } = documents.get('messages', messageId) ?? found;
      const causes = [cause];
      documents.mark('thread', threadId, { causes });
      const isNew = redactMessage(documents, messageId, { threadId, causes });
      const tombstone = documents.get('messages', messageId)!;
      const asOf = Math.max(tombstone.asOf, liveTime(nowMicroseconds()));
      documents.put('messages', { ...tombstone, asOf });
      return { isNew, threadId };
    },
  });
  const thread = await threads.findOne({ _id: threadId });
  await settleAndRefresh(deps, cause, thread ? [thread.serverId] : []);
  return { messages: isNew ? 1 : 0 };
}
