import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import type { IndexerDeps } from '../deps.js';
import { threadTombstone } from '../records/tombstones.js';
import { awaitRemoval, NOTHING_REMOVED, type Removed } from './removal.js';

/** Removes a thread: done when nothing of it can be read. What keeps it from coming back stays. */
export async function deleteThread(
  deps: IndexerDeps,
  { threadId }: JobPayloads['delete-thread'],
): Promise<Removed> {
  const { messages } = deps.collections;
  const cause = `delete-thread/${threadId}`;
  const said = await messages.countDocuments({ threadId, deleted: { $ne: true } });
  const thread = await deps.commit({
    reads: { threads: [threadId] },
    decide(documents) {
      const now = documents.get('threads', threadId);
      if (!now) return null;
      documents.put('threads', threadTombstone(now));
      documents.mark('thread', threadId, { causes: [cause] });
      return now;
    },
  });
  if (!thread) return NOTHING_REMOVED;
  faultPoint('deletionMarked');
  await awaitRemoval(deps, cause, [thread.serverId]);
  return { threads: thread.deleted ? 0 : 1, messages: said };
}
