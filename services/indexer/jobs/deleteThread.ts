import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import type { IndexerDeps } from '../deps.js';
import { settle } from '../project/settle.js';
import { raiseRevision } from '../records/threadRevision.js';
import { redactThreads, tombstoneThread } from '../records/tombstones.js';

/** Removes a thread: done when nothing of it can be read. What keeps it from coming back stays. */
export async function deleteThread(
  deps: IndexerDeps,
  { threadId }: JobPayloads['delete-thread'],
): Promise<{ threads: number; messages: number }> {
  const { threads, messages } = deps.collections;
  const thread = await threads.findOne({ _id: threadId });
  if (!thread) return { threads: 0, messages: 0 };
  await tombstoneThread(threads, threadId);
  faultPoint('deletionMarked');
  const silenced = await redactThreads(messages, [threadId]);
  await raiseRevision(threads, threadId);
  await settle(deps, { _id: threadId }, [thread.serverId]);
  return { threads: thread.deleted ? 0 : 1, messages: silenced };
}
