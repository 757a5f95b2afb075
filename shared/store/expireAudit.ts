import { MongoServerError } from 'mongodb';
import type { Mongo } from '../platform/clients.js';
import type { Settings } from '../platform/env.js';

const DAY_SECONDS = 86_400;
const INDEX_NAME = 'at';
const INDEX_OPTIONS_CONFLICT = 85;
const INDEX_NOT_FOUND = 27;

type Audited = Pick<Mongo, 'collections'>;
type AuditSettings = Pick<Settings, 'AUDIT_DAYS'>;

/**
 * Makes MongoDB remove each entry of the audit trail AUDIT_DAYS after it was written. This also holds for existing
 * entries.
 */
export async function expireAudit(mongo: Audited, settings: AuditSettings): Promise<void> {
  if (await keepAuditIndex(mongo, settings)) return;
  // The index has another time. It is dropped and made again, because the role readWrite may not run collMod.
  await mongo.collections.audit.dropIndex(INDEX_NAME).catch((error: unknown) => {
    // Another indexer that starts now may have dropped it meanwhile.
    if (!hasCode(error, INDEX_NOT_FOUND)) throw error;
  });
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
    if (hasCode(error, INDEX_OPTIONS_CONFLICT)) return false;
    throw error;
  }
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code;
}
