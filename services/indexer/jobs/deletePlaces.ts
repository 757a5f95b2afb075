import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import { refreshLinks } from '../project/refreshLinks.js';
import { settle } from '../project/settle.js';
import { raiseRevision } from '../records/threadRevision.js';
import {
  redactThreads,
  tombstoneChannel,
  tombstoneServer,
  tombstoneThread,
} from '../records/tombstones.js';
import type { Report } from '../report.js';

const BATCH = 100;

/** What a deletion took away. */
interface Removed {
  threads: number;
  messages: number;
}

const NOTHING: Removed = { threads: 0, messages: 0 };

/** Removes a channel with all its threads: done when nothing of them can be read. */
export async function deleteChannel(
  deps: IndexerDeps,
  { channelId }: JobPayloads['delete-channel'],
  report: Report,
): Promise<Removed> {
  const channel = await tombstoneChannel(deps.collections, channelId);
  if (!channel) return NOTHING;
  const removed = await removeThreads(deps, { channelId }, report);
  await refreshLinks(deps.collections, channelId);
  await settle(deps, { channelId }, [channel.serverId], [channelId]);
  return removed;
}

/** Removes a server with all its channels and threads: done when nothing of them can be read. */
export async function deleteServer(
  deps: IndexerDeps,
  { serverId }: JobPayloads['delete-server'],
  report: Report,
): Promise<Removed> {
  const { collections } = deps;
  if (!(await tombstoneServer(collections, serverId))) return NOTHING;
  const channels = await collections.channels
    .find({ serverId }, { projection: { _id: 1 } })
    .toArray();
  for (const { _id } of channels) await tombstoneChannel(collections, _id);
  const removed = await removeThreads(deps, { serverId }, report);
  const channelIds = channels.map(({ _id }) => _id);
  for (const channelId of channelIds) await refreshLinks(collections, channelId);
  await settle(deps, { serverId }, [serverId], channelIds);
  return removed;
}

async function removeThreads(
  { collections }: IndexerDeps,
  place: Partial<Pick<ThreadRecord, 'channelId' | 'serverId'>>,
  report: Report,
): Promise<Removed> {
  const { threads, messages } = collections;
  const alive = { ...place, deleted: { $ne: true } };
  const total = await threads.countDocuments(alive);
  const removed = { threads: 0, messages: 0 };
  for (;;) {
    const batch = await threads
      .find(alive, { projection: { _id: 1 } })
      .limit(BATCH)
      .toArray();
    if (batch.length === 0) return removed;
    const ids = batch.map(({ _id }) => _id);
    // Words first: a thread that is marked as deleted is not found again when this is cut off.
    removed.messages += await redactThreads(messages, ids);
    await Promise.all(ids.map((id) => tombstoneThread(threads, id)));
    removed.messages += await redactThreads(messages, ids);
    await Promise.all(ids.map((id) => raiseRevision(threads, id)));
    report((removed.threads += ids.length), total);
  }
}
