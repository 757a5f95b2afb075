import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { removalCause } from '../../../shared/jobs/removalCause.js';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import type { IndexerDeps } from '../deps.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import { threadTombstone } from '../records/tombstones.js';
import {
  countThreads,
  NOTHING_REMOVED,
  settleAndRefresh,
  type RecordedDeletion,
  type Removed,
} from './removal.js';

/** Where a thread stands. */
export type ThreadPlace = Pick<ThreadRecord, 'serverId' | 'channelId'>;

/** Removes a thread. Resolves when nothing of it can be read. Its tombstone stays, so that no source brings it back. */
export async function deleteThread(
  deps: IndexerDeps,
  { threadId }: JobPayloads['delete-thread'],
): Promise<Removed> {
  const removed = await countThreads(deps, { _id: threadId });
  const recorded = await recordThreadDeletion(deps, threadId);
  if (!recorded) return NOTHING_REMOVED;
  faultPoint('deletionMarked');
  await settleAndRefresh(deps, recorded.cause, [recorded.serverId]);
  return removed;
}

/**
 * Replaces the record of a thread with a tombstone, and marks the thread, so that a build takes it out of all views.
 * Resolves with null when no record has this id. With `place`, a tombstone is put there then, so that no source brings
 * the thread. A thread that is recorded on another server stays.
 */
export function recordThreadDeletion(
  { commit }: Pick<IndexerDeps, 'commit'>,
  threadId: string,
  place?: ThreadPlace,
): Promise<RecordedDeletion | null> {
  const cause = removalCause('delete-thread', threadId);
  return commit({
    reads: { threads: [threadId] },
    decide(documents) {
      const thread = documents.get('threads', threadId);
      if (!thread) {
        if (place) documents.put('threads', unknownThread(threadId, place));
        return null;
      }
      if (place && place.serverId !== thread.serverId) return null;
      documents.put('threads', threadTombstone(thread));
      documents.mark('thread', threadId, { causes: [cause] });
      return { serverId: thread.serverId, cause };
    },
  });
}

/** The tombstone of a thread of which nothing else is known. */
function unknownThread(_id: string, { serverId, channelId }: ThreadPlace): ThreadRecord {
  return { _id, serverId, channelId, title: '', stamps: {}, asOf: 0, deleted: true };
}
