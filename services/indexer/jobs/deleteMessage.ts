import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import type { MessageRecord, ThreadRecord } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import { REDACTED } from '../../../shared/store/redacted.js';
import type { Documents } from '../work/commit.js';
import { settleAndRefresh } from './removal.js';

/**
 * Empties a message. A thread that it started, and of which no author is recorded, gets its author's id first. So the
 * thread keeps its author.
 */
export function redactMessage(
  documents: Documents,
  message: MessageRecord,
  thread: ThreadRecord | null,
): void {
  if (message._id === thread?._id && !thread.deleted && !thread.ownerId) {
    documents.put('threads', { ...thread, ownerId: message.author.id });
  }
  documents.put('messages', { ...message, ...REDACTED });
}

/** Removes a message. Resolves when nothing of it can be read. */
export async function deleteMessage(
  deps: IndexerDeps,
  { messageId }: JobPayloads['delete-message'],
): Promise<{ messages: number }> {
  const { messages, threads } = deps.collections;
  const found = await messages.findOne({ _id: messageId }, { projection: { threadId: 1 } });
  if (!found) return { messages: 0 };
  const { threadId } = found;
  const cause = `delete-message/${messageId}`;
  const wasThere = await deps.commit({
    reads: { messages: [messageId], threads: [threadId] },
    decide(documents) {
      const message = documents.get('messages', messageId)!;
      const thread = documents.get('threads', threadId);
      documents.mark('thread', threadId, { causes: [cause] });
      if (message.deleted) return false;
      redactMessage(documents, message, thread);
      return true;
    },
  });
  const thread = await threads.findOne({ _id: threadId });
  await settleAndRefresh(deps, cause, thread ? [thread.serverId] : []);
  return { messages: wasThere ? 1 : 0 };
}
