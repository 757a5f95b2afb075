import { randomUUID } from 'node:crypto';
import type { Collection, Filter } from 'mongodb';
import { syncOf, type SyncChannel, type SyncRecord } from '../../../shared/store/syncRecords.js';

/**
 * Forgets how far some forums were read, and which of their threads and single messages are to be fetched. When the
 * forums can be read again, they are read from their beginning.
 */
export async function forgetChannels(
  sync: Collection<SyncRecord>,
  which: Filter<SyncChannel>,
): Promise<void> {
  const channels = syncOf(sync, 'channel');
  const ids = await channels.distinct('_id', { kind: 'channel', ...which });
  if (ids.length === 0) return;
  // The threads are forgotten first. A list that ends meanwhile has found them noted, so it has to be read again.
  for (const kind of ['thread', 'message'] as const) {
    await sync.deleteMany({ kind, channelId: { $in: ids } });
  }
  await channels.updateMany(
    { _id: { $in: ids } },
    // A list that is under way does not note its place any more.
    {
      $set: { token: randomUUID() },
      $unset: { before: '', newest: '', listedTo: '', unreadable: '' },
    },
  );
}
