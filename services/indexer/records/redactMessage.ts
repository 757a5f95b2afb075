import { snowflakeTime } from '../../../shared/exportFormat/snowflake.js';
import { idKey, timeKey } from '../../../shared/store/listKeys.js';
import type { MessageRecord } from '../../../shared/store/records.js';
import { REDACTED } from '../../../shared/store/redacted.js';
import { isLive } from '../../../shared/store/sourceTime.js';
import type { Documents } from '../work/change.js';
import { markMove } from './markMove.js';

/**
 * Empties the record of a message. Where the message is not recorded, this puts a tombstone in its place, so that no
 * source brings it back. Where the message started the thread, and no author of the thread is recorded, the thread is
 * first given the message's author. Where an export alone says that the message belongs to another thread, the tombstone
 * is put into this thread, and both threads are marked. Returns false, and changes nothing, where the message is deleted
 * already, or where the platform told of it in another thread. The caller's change must read the message and, where it
 * started the thread, the thread.
 */
export function redactMessage(
  documents: Documents,
  messageId: string,
  { threadId, causes }: { threadId: string; causes: readonly string[] },
): boolean {
  const message = documents.get('messages', messageId);
  const isElsewhere = message !== null && message.threadId !== threadId;
  if (isElsewhere && isLive(message.asOf)) return false;
  if (isElsewhere) markMove(documents, message, { to: threadId, causes });
  if (!message || isElsewhere) {
    documents.put('messages', tombstone(messageId, threadId));
    return true;
  }
  if (message.deleted) return false;
  const started = messageId === threadId ? documents.get('threads', threadId) : null;
  if (started && !started.deleted && !started.ownerId) {
    documents.put('threads', { ...started, ownerId: message.author.id });
  }
  documents.put('messages', { ...message, ...REDACTED });
  return true;
}

/** The record of a deleted message of which nothing else is known. */
function tombstone(_id: string, threadId: string): MessageRecord {
  const createdAt = new Date(snowflakeTime(_id));
  return {
    ...REDACTED,
    _id,
    threadId,
    type: 0,
    counted: false,
    createdAt,
    asOf: 0,
    order: timeKey(createdAt) + idKey(_id),
  };
}
