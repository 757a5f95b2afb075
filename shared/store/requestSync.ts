import { randomUUID } from 'node:crypto';
import type { Collections } from './collections.js';
import { syncOf } from './syncRecords.js';

/** A place to be synced: at most one of its fields; none for everything. */
export interface SyncPlace {
  serverId?: string;
  channelId?: string;
  threadId?: string;
}

/**
 * Asks for a place to be synced now. Gives the id of the request; asking again under the same id is asking once more.
 */
export async function requestSync(
  { sync }: Pick<Collections, 'sync'>,
  place: SyncPlace,
  id: string = randomUUID(),
): Promise<string> {
  const request = { kind: 'request', ...place, at: new Date() } as const;
  await syncOf(sync, 'request').replaceOne({ _id: id }, request, { upsert: true });
  return id;
}
