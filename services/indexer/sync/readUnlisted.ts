import { randomUUID } from 'node:crypto';
import { batches } from '../../../shared/platform/batches.js';
import { isLive } from '../../../shared/store/sourceTime.js';
import { idKey } from '../../../shared/store/listKeys.js';
import { NOTHING_FETCHED, type SyncThread } from '../../../shared/store/syncRecords.js';
import { noteUnknown } from './noteUnknown.js';
import type { LoadedServer, SyncDeps } from './syncDeps.js';

/**
 * Finds threads of a forum that the platform has told, but of which the sync has no note, although the forum was just
 * listed. Notes that they are to be read. Such a thread was recorded by a process that was killed before it had noted
 * the thread. Or its note was deleted while the forum could not be read. If the thread was deleted after that, no list
 * tells so. Only reading the thread does.
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
