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
  const cause = `delete-message/${messageId}`;
  const former = await deps.commit({
    // A thread that the message started has the same id.
    reads: { messages: [messageId], threads: [messageId] },
    decide(documents) {
      const message = documents.get('messages', messageId);
      if (!message) return null;
      const { threadId, deleted } = message;
      documents.mark('thread', threadId, { causes: [cause] });
      const started = threadId === messageId ? documents.get('threads', messageId) : null;
      if (!deleted) redactMessage(documents, message, started);
      return message;
    },
  });
  if (!former) return { messages: 0 };
  const thread = await deps.collections.threads.findOne({ _id: former.threadId });
  await settleAndRefresh(deps, cause, thread ? [thread.serverId] : []);
  return { messages: former.deleted ? 0 : 1 };
}
