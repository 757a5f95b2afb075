import { randomUUID } from 'node:crypto';
import { batches } from '../../../shared/platform/batches.js';
import { isLive } from '../../../shared/store/sourceTime.js';
import { idKey } from '../../../shared/store/listKeys.js';
import { NOTHING_FETCHED, syncOf, type SyncThread } from '../../../shared/store/syncRecords.js';
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
  const syncThreads = syncOf(collections.sync, 'thread');
  const recorded = collections.threads.find(
    { channelId, deleted: { $ne: true } },
    { projection: { asOf: 1 } },
  );
  for await (const batch of batches(recorded)) {
    const ids = batch.filter(({ asOf }) => isLive(asOf)).map(({ _id }) => _id);
    const known = new Set(await syncThreads.distinct('_id', { _id: { $in: ids } }));
    const inserts = ids
      .filter((id) => !known.has(id))
      .map((_id) => ({
        updateOne: {
          filter: { _id, kind: 'thread' as const },
          // An event may note it meanwhile.
          update: { $setOnInsert: { ...UNTOLD, serverId, channelId, ...unread(_id) } },
          upsert: true,
        },
      }));
    if (inserts.length > 0) await syncThreads.bulkWrite(inserts, { ordered: false });
  }
}

/** Nothing is told of it yet: whatever is told next is new. */
const UNTOLD = {
  digest: '',
  asOf: 0,
  messageCount: 0,
  totalSent: 0,
  lastMessageId: null,
  ...NOTHING_FETCHED,
  todo: 'all',
} satisfies Partial<SyncThread>;

function unread(threadId: string): Pick<SyncThread, 'recent' | 'token'> {
  return { recent: idKey(threadId), token: randomUUID() };
}
