import { MongoServerError } from 'mongodb';
import type { Mongo } from '../platform/clients.js';
import type { Settings } from '../platform/env.js';

const DAY_SECONDS = 86_400;
const INDEX_NAME = 'at';
/** NamespaceNotFound and IndexNotFound. */
const NOT_THERE: ReadonlySet<unknown> = new Set([26, 27]);

/**
 * Has MongoDB remove each entry of the audit trail AUDIT_DAYS after it was written, also the entries that exist
 * already.
 */
export async function expireAudit(
  { db, collections: { audit } }: Pick<Mongo, 'db' | 'collections'>,
  { AUDIT_DAYS: days }: Pick<Settings, 'AUDIT_DAYS'>,
): Promise<void> {
  const expireAfterSeconds = days * DAY_SECONDS;
  try {
    // An index that exists cannot be created again with another time. It can only be changed.
    const index = { name: INDEX_NAME, expireAfterSeconds };
    await db.command({ collMod: audit.collectionName, index });
  } catch (error) {
    if (!(error instanceof MongoServerError && NOT_THERE.has(error.code))) throw error;
    await audit.createIndexes([{ name: INDEX_NAME, key: { at: -1 }, expireAfterSeconds }]);
  }
}
