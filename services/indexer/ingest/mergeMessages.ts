import { forwardsOf } from '../../../shared/store/forwards.js';
import { idKey, timeKey } from '../../../shared/store/listKeys.js';
import type { MessageRecord, SourceMessage } from '../../../shared/store/records.js';
import { isLive } from '../../../shared/store/sourceTime.js';
import { same } from '../records/mergeFields.js';
import { contentOf } from '../records/messageOrder.js';
import { mergeMessage } from '../records/mergeMessage.js';
import { disownThread } from '../records/disownThread.js';
import { withoutDeletedForward } from '../records/withoutDeletedForward.js';
import type { Documents } from '../work/commit.js';
import { SourceConflict } from './source.js';

/** Ids of the documents that merging messages reads: themselves, what they forward, and their authors. */
export function readsOfMessages(told: readonly SourceMessage[]): {
  messages: string[];
  users: string[];
} {
  return {
    messages: [
      ...told.map(({ _id }) => _id),
      ...forwardsOf(told).map(({ originalId }) => originalId),
    ],
    users: told.map(({ author }) => author.id),
  };
}

/**
 * Merges a batch of one thread's messages into the records: of two sources the later wins, whole. Returns whether any
 * message changed. Throws SourceConflict for one that belongs to another thread.
 */
export function mergeMessages(
  documents: Documents,
  threadId: string,
  batch: readonly SourceMessage[],
): boolean {
  let isChanged = false;
  for (const told of batch) {
    const before = documents.get('messages', told._id);
    if (before && before.threadId !== threadId) {
      throw new SourceConflict(`Message ${told._id} belongs to thread ${before.threadId}`);
    }
    if (before?.deleted) continue;
    const clean = withoutDeletedForward(documents, told);
    const message = before ? mergeMessage(clean, before) : clean;
    if (!message) continue;
    isChanged ||= !before || isShownOtherwise(message, before);
    documents.put('messages', toRecord(message));
    if ((message as MessageRecord).deleted && message._id === threadId)
      disownThread(documents, threadId);
  }
  return isChanged;
}

/** Whether readers see something else. Links to files that the platform itself has told of are others. */
function isShownOtherwise(message: SourceMessage, before: MessageRecord): boolean {
  const { attachments, forwarded } = message;
  const hasFiles = attachments.length > 0 || (forwarded?.attachments.length ?? 0) > 0;
  if (hasFiles && isLive(message.asOf) !== isLive(before.asOf)) return true;
  return !same(contentOf(message), contentOf(before));
}

function toRecord(told: SourceMessage): MessageRecord {
  return { ...told, order: timeKey(told.createdAt) + idKey(told._id) };
}
