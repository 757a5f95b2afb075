import type { Collection } from 'mongodb';
import {
  type SyncMember,
  type SyncRecord,
  type SyncThread,
} from '../../../shared/store/syncRecords.js';

/** Notes the threads or members among these of which the sync has no note. */
export async function noteUnknown(
  sync: Collection<SyncRecord>,
  records: readonly (SyncMember | SyncThread)[],
): Promise<void> {
  const ids = records.map(({ _id }) => _id);
  const known = new Set(await sync.distinct('_id', { _id: { $in: ids } }));
  const unknown = records.filter(({ _id }) => !known.has(_id));
  const writes = unknown.map(({ _id, ...record }) => ({
    // An event may have noted it meanwhile, and that note stays.
    updateOne: { filter: { _id }, update: { $setOnInsert: record }, upsert: true },
  }));
  if (writes.length > 0) await sync.bulkWrite(writes, { ordered: false });
}
