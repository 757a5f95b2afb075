import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { removalCause } from '../../../shared/jobs/removalCause.js';
import { ALL_SERVERS } from '../../../shared/store/bodyKinds.js';
import type { IndexerDeps } from '../deps.js';
import { channelTombstone, serverTombstone } from '../records/tombstones.js';
import type { Report } from '../report.js';
import {
  countThreads,
  NOTHING_REMOVED,
  settleAndRefresh,
  type RecordedDeletion,
  type Removed,
} from './removal.js';

/** Removes a channel with all its threads. Resolves when nothing of them can be read. */
export async function deleteChannel(
  deps: IndexerDeps,
  { channelId }: JobPayloads['delete-channel'],
  report: Report,
): Promise<Removed> {
  const removed = await countThreads(deps, { channelId });
  const recorded = await recordChannelDeletion(deps, channelId);
  if (!recorded) return NOTHING_REMOVED;
  await settleAndRefresh(deps, recorded.cause, [recorded.serverId], { report });
  return removed;
}

/**
 * Replaces the record of a channel with a tombstone, and sets the marks that have its threads taken out of all views.
 * Resolves with null when no record has this id.
 */
export function recordChannelDeletion(
  { commit }: Pick<IndexerDeps, 'commit'>,
  channelId: string,
): Promise<RecordedDeletion | null> {
  const cause = removalCause('delete-channel', channelId);
  return commit({
    reads: { channels: [channelId] },
    decide(documents) {
      const channel = documents.get('channels', channelId);
      if (!channel) return null;
      const { serverId } = channel;
      documents.put('channels', channelTombstone(channel));
      documents.mark('channel', channelId, { causes: [cause] });
      documents.mark('server', serverId, { causes: [cause] });
      return { serverId, cause };
    },
  });
}

/** Removes a server with all its channels and threads. Resolves when nothing of them can be read. */
export async function deleteServer(
  deps: IndexerDeps,
  { serverId }: JobPayloads['delete-server'],
  report: Report,
): Promise<Removed> {
  const { channels } = deps.collections;
  const cause = removalCause('delete-server', serverId);
  const removed = await countThreads(deps, { serverId });
  const isKnown = await deps.commit({
    reads: { servers: [serverId] },
    decide(documents) {
      const server = documents.get('servers', serverId);
      if (!server) return false;
      documents.put('servers', serverTombstone(server));
      for (const subject of [serverId, ALL_SERVERS]) {
        documents.mark('server', subject, { causes: [cause] });
      }
      return true;
    },
  });
  if (!isKnown) return NOTHING_REMOVED;
  // From now on no source can add a channel to it.
  const own = (await channels.find({ serverId }).toArray()).map(({ _id }) => _id);
  await deps.commit({
    reads: { channels: own },
    decide(documents) {
      for (const channelId of own) {
        documents.put('channels', channelTombstone(documents.get('channels', channelId)!));
        documents.mark('channel', channelId, { causes: [cause] });
      }
    },
  });
  await settleAndRefresh(deps, cause, [serverId], { report });
  return removed;
}
