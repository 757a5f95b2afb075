import { markId } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import type { RecordedDeletion } from '../jobs/removal.js';
import { redactMessage } from '../records/redactMessage.js';
import { markThread } from '../work/claims.js';

/**
 * Records that the platform has deleted messages of a thread, and marks the thread. An answer that was asked for before
 * the deletion may still bring a message that is not recorded. So such a message is recorded as deleted, too. With
 * `owner`, the mark is claimed for a caller that builds the thread at once. Resolves with null where nothing is new.
 */
export function recordMessageDeletions(
  { commit }: Pick<IndexerDeps, 'commit'>,
  { threadId, owner }: { threadId: string; owner?: string },
  messageIds: readonly string[],
): Promise<RecordedDeletion | null> {
  return commit({
    reads: { messages: messageIds, threads: [threadId], work: [markId('thread', threadId)] },
    decide(documents) {
      const thread = documents.get('threads', threadId);
      if (!thread || thread.deleted) return null;
      const cause = `delete-messages/${threadId}`;
      const causes = [cause];
      const redacted = messageIds.filter((id) =>
        redactMessage(documents, id, { threadId, causes }),
      );
      if (redacted.length === 0) return null;
      markThread(documents, threadId, { causes, owner });
      return { serverId: thread.serverId, cause };
    },
  });
}
