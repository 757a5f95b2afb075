import { MongoServerError } from 'mongodb';
import type { Mongo } from '../platform/clients.js';
import type { Settings } from '../platform/env.js';

const DAY_SECONDS = 86_400;
const INDEX_NAME = 'at';
const INDEX_OPTIONS_CONFLICT = 85;

type Audited = Pick<Mongo, 'collections'>;
type AuditSettings = Pick<Settings, 'AUDIT_DAYS'>;

/**
 * Makes MongoDB remove each entry of the audit trail AUDIT_DAYS after it was written. This also holds for existing
 * entries.
 */
export async function expireAudit(mongo: Audited, settings: AuditSettings): Promise<void> {
  if (await keepAuditIndex(mongo, settings)) return;
  // The index has another time. It is dropped and made again, because the role readWrite may not run collMod.
  await mongo.collections.audit.dropIndex(INDEX_NAME);
  await keepAuditIndex(mongo, settings);
}

/** Makes the index of the audit trail where it is missing. Gives false where there is one that has another time. */
export async function keepAuditIndex(
  { collections: { audit } }: Audited,
  { AUDIT_DAYS: days }: AuditSettings,
): Promise<boolean> {
  const expireAfterSeconds = days * DAY_SECONDS;
  try {
    await audit.createIndexes([{ name: INDEX_NAME, key: { at: -1 }, expireAfterSeconds }]);
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === INDEX_OPTIONS_CONFLICT) return false;
    throw error;
  }
}
