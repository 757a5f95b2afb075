import { randomBytes } from 'node:crypto';
import type { Collections } from './collections.js';
import type { SecretRecord } from './credentials.js';

/** The archive's random key for a purpose. The first process that asks makes it. */
export async function archiveSecret(
  { secrets }: Pick<Collections, 'secrets'>,
  purpose: SecretRecord['_id'],
): Promise<string> {
  const record = await secrets.findOneAndUpdate(
    { _id: purpose },
    { $setOnInsert: { secret: randomBytes(32).toString('hex') } },
    { upsert: true, returnDocument: 'after' },
  );
  return record!.secret;
}
