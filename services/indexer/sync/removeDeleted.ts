import { countedMessages } from '../build/threadMessages.js';
import type { IndexerDeps } from '../deps.js';
import { recordChannelDeletion } from '../jobs/deletePlaces.js';
import { recordThreadDeletion } from '../jobs/deleteThread.js';
import { slices } from '../records/slices.js';
import { deleteMessages } from './deleteMessages.js';
import { forgetChannels } from './forgetChannels.js';
import type { Removals } from './removals.js';
import type { SyncDeps } from './syncDeps.js';

/**
 * Records that the platform has deleted messages of a thread, in slices, as one transaction holds only so much. What
 * follows from that is left to `removals`.
 */
export async function removeDeletedMessages(
  deps: IndexerDeps & { removals: Removals },
  place: { threadId: string; serverId: string; claim?: string },
  messageIds: readonly string[],
): Promise<void> {
  const first = await countedMessages(deps.collections, place.threadId).limit(1).next();
  // The beginning of the first message is shown wherever the thread is listed.
  const kind = first && messageIds.includes(first._id) ? undefined : 'thread';
  for (const some of slices(messageIds)) {
    deps.removals.add(await deleteMessages(deps, place, some), kind);
  }
}

/** Records that the platform has deleted a thread. What follows from that is left to `removals`. */
export async function removeDeletedThread(
  deps: IndexerDeps & { removals: Removals },
  { _id: threadId, serverId }: { _id: string; serverId: string },
): Promise<void> {
  const recorded = await recordThreadDeletion(deps, threadId);
  await deps.collections.sync.deleteOne({ _id: threadId });
  deps.removals.add(recorded && { serverId, cause: recorded.cause });
}

/**
 * Records that the platform has deleted a forum, and deletes what the sync has noted of it: otherwise the status would
 * name it for ever. What follows is left to `removals`.
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
