import type { Collection } from 'mongodb';
import type { SyncRequestRecord } from '../../../shared/store/syncRecords.js';

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 5 * 60_000;

/**
 * Postpones a request, because the platform was away. The delay grows up to five minutes. Other requests are served
 * meanwhile. When somebody asks for the same again, it is served at once.
 */
export async function postponeRequest(
  requests: Collection<SyncRequestRecord>,
  { _id, at, tries = 0 }: SyncRequestRecord,
): Promise<void> {
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS);
  const dueAt = new Date(Date.now() + waitMs);
  await requests.updateOne({ _id, at }, { $set: { dueAt, tries: tries + 1 } });
}
