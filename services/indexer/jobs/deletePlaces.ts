import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import { refreshLinks } from '../project/refreshLinks.js';
import { settle } from '../project/settle.js';
import { raiseRevision } from '../records/threadRevision.js';
import {
  silenceThreads,
  tombstoneChannel,
  tombstoneServer,
  tombstoneThread,
} from '../records/tombstones.js';
import type { Report } from '../report.js';

const BATCH = 100;

/** Removes a channel with all its threads: done when nothing of them can be read. */
export async function deleteChannel(
  deps: IndexerDeps,
  { channelId }: JobPayloads['delete-channel'],
  report: Report,
): Promise<{ threads: number }> {
  const channel = await tombstoneChannel(deps.collections, channelId);
  if (!channel) return { threads: 0 };
  const threads = await removeThreads(deps, { channelId }, report);
  await refreshLinks(deps.collections, channelId);
  await settle(deps, { channelId }, [channel.serverId], [channelId]);
  return { threads };
}

/** Removes a server with all its channels and threads: done when nothing of them can be read. */
export async function deleteServer(
  deps: IndexerDeps,
  { serverId }: JobPayloads['delete-server'],
  report: Report,
): Promise<{ threads: number }> {
  const { collections } = deps;
  if (!(await tombstoneServer(collections, serverId))) return { threads: 0 };
  const channels = await collections.channels
    .find({ serverId }, { projection: { _id: 1 } })
    .toArray();
  for (const { _id } of channels) await tombstoneChannel(collections, _id);
  const threads = await removeThreads(deps, { serverId }, report);
  const channelIds = channels.map(({ _id }) => _id);
  for (const channelId of channelIds) await refreshLinks(collections, channelId);
  await settle(deps, { serverId }, [serverId], channelIds);
  return { threads };
}

async function removeThreads(
  { collections }: IndexerDeps,
  place: Partial<Pick<ThreadRecord, 'channelId' | 'serverId'>>,
  report: Report,
): Promise<number> {
  const { threads, messages } = collections;
  const alive = { ...place, deleted: { $ne: true } };
  const total = await threads.countDocuments(alive);
  for (let removed = 0; ;) {
    const batch = await threads
      .find(alive, { projection: { _id: 1 } })
      .limit(BATCH)
      .toArray();
    if (batch.length === 0) return removed;
    const ids = batch.map(({ _id }) => _id);
    // Words first: a thread that is marked as deleted is not found again when this is cut off.
    await silenceThreads(messages, ids);
    await Promise.all(ids.map((id) => tombstoneThread(threads, id)));
    await silenceThreads(messages, ids);
    await Promise.all(ids.map((id) => raiseRevision(threads, id)));
    report((removed += ids.length), total);
  }
}
