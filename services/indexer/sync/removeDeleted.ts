import { markId } from '../../../shared/store/work.js';
import { countedMessages } from '../build/threadMessages.js';
import type { IndexerDeps } from '../deps.js';
import { recordChannelDeletion } from '../jobs/deletePlaces.js';
import { recordThreadDeletion, type ThreadPlace } from '../jobs/deleteThread.js';
import type { RecordedDeletion } from '../jobs/removal.js';
import { redactMessage } from '../records/redactMessage.js';
import { slices } from '../records/slices.js';
import { markThread } from '../work/claims.js';
import { forgetChannels } from './forgetChannels.js';
import type { Removals } from './removals.js';
import type { SyncDeps } from './syncDeps.js';

/**
 * Records that the platform has deleted messages of a thread. This is done in slices, because the size of a transaction
 * is limited. What follows from that is left to `removals`.
 */
export async function removeDeletedMessages(
  deps: IndexerDeps & { removals: Removals },
  place: { threadId: string; owner?: string },
  messageIds: readonly string[],
): Promise<void> {
  const first = await countedMessages(deps.collections, place.threadId).limit(1).next();
  // Lists show the beginning of the first message. So where it is deleted, all kinds of marks are done at once.
  const kind = first && messageIds.includes(first._id) ? undefined : 'thread';
  for (const some of slices(messageIds)) {
    deps.removals.add(await recordMessageDeletions(deps, place, some), kind);
  }
}

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

/**
 * Records that the platform has deleted a thread, with `place` also where the thread is not recorded. What follows from
 * that is left to `removals`.
 */
export async function removeDeletedThread(
  deps: IndexerDeps & { removals: Removals },
  threadId: string,
  place?: ThreadPlace,
): Promise<void> {
  const recorded = await recordThreadDeletion(deps, threadId, place);
  await deps.collections.sync.deleteOne({ _id: threadId });
  deps.removals.add(recorded);
}

/**
 * Records that the platform has deleted a forum, and deletes the sync's note of it. Otherwise the status would show the
 * forum for ever. What follows is left to `removals`.
 */
export async function removeDeletedChannel(
  deps: SyncDeps,
  { _id: channelId, serverId }: { _id: string; serverId: string },
): Promise<void> {
  const { sync } = deps.collections;
  deps.removals.add(await recordChannelDeletion(deps, channelId));
  deps.servers.get(serverId)?.channels.delete(channelId);
  await forgetChannels(sync, { _id: channelId });
  await sync.deleteOne({ _id: channelId, kind: 'channel' });
}
