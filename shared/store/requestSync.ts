import { randomUUID } from 'node:crypto';
import type { SyncRequest } from '../contract/admin.js';
import type { Collections } from './collections.js';
import { syncOf } from './syncRecords.js';

/**
 * Asks for a place to be synced now, and returns the id of the request. Asking again under the same id renews the
 * request.
 */
export async function requestSync(
  { sync }: Pick<Collections, 'sync'>,
  place: SyncRequest,
  id: string = randomUUID(),
): Promise<string> {
  const request = { kind: 'request', ...place, at: new Date() } as const;
  await syncOf(sync, 'request').replaceOne({ _id: id }, request, { upsert: true });
  return id;
}
