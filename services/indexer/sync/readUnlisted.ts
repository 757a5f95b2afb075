import { randomUUID } from 'node:crypto';
import { batches } from '../../../shared/platform/batches.js';
import { isLive } from '../../../shared/store/sourceTime.js';
import { idKey } from '../../../shared/store/listKeys.js';
import { NOTHING_FETCHED, type SyncThread } from '../../../shared/store/syncRecords.js';
import { noteUnknown } from './noteUnknown.js';
import type { LoadedServer, SyncDeps } from './syncDeps.js';

/**
 * Has those threads of a forum read whose records the platform told, but of which the sync remembers nothing although
 * the forum was just listed. The process that recorded such a thread was killed before it had noted it, or the thread
 * was forgotten while the forum could not be read. When it was deleted after that, no list tells of it: only reading it
 * does.
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

/** A thread of which nothing is told yet: whatever is told next is new. */
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
