import { snowflakeTime } from '../../../shared/exportFormat/snowflake.js';
import { idKey, timeKey } from '../../../shared/store/listKeys.js';
import type { MessageRecord } from '../../../shared/store/records.js';
import { markId } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { redactMessage } from '../jobs/deleteMessage.js';
import { markThread } from '../work/claims.js';
import { REDACTED } from '../../../shared/store/redacted.js';

/**
 * Records that the platform has deleted messages of a thread. A message that is not recorded gets a tombstone, because
 * an answer that was asked for before the deletion may still bring it. Marks the thread. With `claim`, the mark is
 * claimed for a caller that builds the thread at once. Resolves with the server and the cause that the mark names; with
 * null where nothing is new.
 */
export async function deleteMessages(
  { commit }: Pick<IndexerDeps, 'commit'>,
  { threadId, serverId, claim }: { threadId: string; serverId: string; claim?: string },
  messageIds: readonly string[],
): Promise<{ serverId: string; cause: string } | null> {
  const cause = `delete-messages/${threadId}`;
  const isNew = await commit({
    reads: { messages: messageIds, threads: [threadId], work: [markId('thread', threadId)] },
    decide(documents) {
      const thread = documents.get('threads', threadId);
      if (!thread || thread.deleted) return false;
      const known = messageIds.map((id) => documents.get('messages', id));
      known.forEach((message, n) => {
        if (!message) documents.put('messages', tombstone(messageIds[n]!, threadId));
        else if (!message.deleted && message.threadId === threadId) {
          redactMessage(documents, message, documents.get('threads', threadId));
        }
      });
      if (known.some((message) => message?.deleted !== true)) {
        markThread(documents, threadId, { causes: [cause], claim });
        return true;
      }
      return false;
    },
  });
  return isNew ? { serverId, cause } : null;
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
