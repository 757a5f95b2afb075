import { forwardsOf } from '../../../shared/store/forwards.js';
import { idKey, timeKey } from '../../../shared/store/listKeys.js';
import type { MessageRecord, SourceMessage } from '../../../shared/store/records.js';
import { isLive, tellsDisplayName } from '../../../shared/store/sourceTime.js';
import { same } from '../records/mergeFields.js';
import { contentOf } from '../records/messageOrder.js';
import { mergeMessage } from '../records/mergeMessage.js';
import { disownThread } from '../records/disownThread.js';
import { markMove } from '../records/markMove.js';
import { withoutDeletedForward } from '../records/withoutDeletedForward.js';
import type { Documents } from '../work/change.js';
import { SourceConflict } from './source.js';

/** Ids of the messages that `mergeMessages` reads: the messages themselves, and those that they forward. */
export function messagesRead(told: readonly SourceMessage[]): string[] {
  return [...told.map(({ _id }) => _id), ...forwardsOf(told).map(({ originalId }) => originalId)];
}

/**
 * Merges a batch of one thread's messages into the records. Returns whether any message changed. Throws SourceConflict
 * for a message that is recorded in another thread. But where only an export says that it belongs there, and the batch
 * comes from the platform, the message moves into this thread. A message that was deleted in this thread stays deleted.
 * One that was deleted in another thread stays deleted, too, unless it moves.
 */
export function mergeMessages(
  documents: Documents,
  { threadId, causes }: { threadId: string; causes: readonly string[] | undefined },
  batch: readonly SourceMessage[],
): boolean {
  let isChanged = false;
  for (const told of batch) {
    const stored = documents.get('messages', told._id);
    const other = stored && stored.threadId !== threadId ? stored : null;
    const isMoving = other !== null && isMisplaced(other, told);
    if (stored?.deleted && !isMoving) continue;
    if (other && !isMoving) {
      throw new SourceConflict(`Message ${told._id} belongs to thread ${other.threadId}`);
    }
    if (other) markMove(documents, other, { to: threadId, causes });
    const before = other ? null : stored;
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

/**
 * Whether a message is recorded in a wrong thread: an export says that it belongs there, and the platform says that it
 * belongs elsewhere. The platform knows. The export is forged or broken, so nothing that it said of the message is
 * kept. That it was deleted in the wrong thread says nothing either, unless an operator deleted it: see `deleteMessage`.
 */
function isMisplaced(stored: MessageRecord, told: SourceMessage): boolean {
  return isLive(told.asOf) && !isLive(stored.asOf);
}

/**
 * Whether readers see something else than before. Two things count in addition to what the message says. The links to
 * its files change when the platform itself tells of them for the first time. Profiles show the last display name that
 * a source told, so a name that is told for the first time counts, even if it is the same.
 */
function isShownOtherwise(message: SourceMessage, before: MessageRecord): boolean {
  const { attachments, forwarded } = message;
  if (tellsDisplayName(message) !== tellsDisplayName(before)) return true;
  const hasFiles = attachments.length > 0 || (forwarded?.attachments.length ?? 0) > 0;
  if (hasFiles && isLive(message.asOf) !== isLive(before.asOf)) return true;
  return !same(contentOf(message), contentOf(before));
}

function toRecord(told: SourceMessage): MessageRecord {
  return { ...told, order: timeKey(told.createdAt) + idKey(told._id) };
}
