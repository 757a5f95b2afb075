import { MongoServerError } from 'mongodb';
import type { Mongo } from '../platform/clients.js';
import type { Settings } from '../platform/env.js';

const DAY_SECONDS = 86_400;
const INDEX_NAME = 'at';
const INDEX_OPTIONS_CONFLICT = 85;

/**
 * Has MongoDB remove each entry of the audit trail AUDIT_DAYS after it was written, also the entries that exist
 * already.
 */
export async function expireAudit(
  { collections: { audit } }: Pick<Mongo, 'collections'>,
  { AUDIT_DAYS: days }: Pick<Settings, 'AUDIT_DAYS'>,
): Promise<void> {
  const index = {
    name: INDEX_NAME,
    key: { at: -1 as const },
    expireAfterSeconds: days * DAY_SECONDS,
  };
  try {
    await audit.createIndexes([index]);
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === INDEX_OPTIONS_CONFLICT)) throw error;
    // The index has another time. It is made anew, since the role readWrite may not change it by collMod.
    await audit.dropIndex(INDEX_NAME);
    await audit.createIndexes([index]);
  }
}
