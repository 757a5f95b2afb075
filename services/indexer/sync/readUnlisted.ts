import { randomUUID } from 'node:crypto';
import { batches } from '../../../shared/platform/batches.js';
import { isLive } from '../../../shared/store/sourceTime.js';
import { idKey } from '../../../shared/store/listKeys.js';
import { NOTHING_FETCHED, type SyncThread } from '../../../shared/store/syncRecords.js';
import { noteUnknown } from './noteUnknown.js';
import type { LoadedServer, SyncDeps } from './syncDeps.js';

/**
 * Called when a forum was just listed. Looks for recorded threads of the forum of which the sync has no note, and notes
 * that they are to be read. Their notes were deleted while the forum could not be read, or by a process that was killed
 * before it noted that the forum is to be listed again. Or a restore has brought the threads. If the platform has
 * deleted such a thread since, no list tells so: only reading the thread does.
 */
export async function readUnlisted(
  { collections }: Pick<SyncDeps, 'collections'>,
  { serverId }: Pick<LoadedServer, 'serverId'>,
  channelId: string,
): Promise<void> {
  const recorded = collections.threads.find(
    { channelId, deleted: { $ne: true } },
    { projection: { asOf: 1 } },
  );
  for await (const batch of batches(recorded)) {
    const told = batch.filter(({ asOf }) => isLive(asOf));
    await noteUnknown(
      collections.sync,
      told.map(({ _id }) => unread(_id, { serverId, channelId })),
    );
  }
}

/** The note of a thread of which nothing was told yet, so that all that is told next is new. */
function unread(_id: string, place: Pick<SyncThread, 'serverId' | 'channelId'>): SyncThread {
  return {
    _id,
    kind: 'thread',
    ...place,
    digest: '',
    asOf: 0,
    messageCount: 0,
    totalSent: 0,
    lastMessageId: null,
    recent: idKey(_id),
    ...NOTHING_FETCHED,
    todo: 'all',
    token: randomUUID(),
  };
}
