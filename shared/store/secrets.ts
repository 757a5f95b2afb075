import { randomBytes } from 'node:crypto';
import type { Collections } from './collections.js';
import { stateOf, type SecretState } from './state.js';

/** The archive's random key for a purpose. The first process that needs it makes it. */
export async function archiveSecret(
  { state }: Pick<Collections, 'state'>,
  purpose: SecretState['_id'],
): Promise<string> {
  const secrets = stateOf(state, purpose);
  // It is read first, because any write, even one that changes nothing, waits for most members of the replica set.
  const known = await secrets.findOne({ _id: purpose });
  if (known) return known.secret;
  const record = await secrets.findOneAndUpdate(
    { _id: purpose },
    { $setOnInsert: { secret: randomBytes(32).toString('hex') } },
    { upsert: true, returnDocument: 'after' },
  );
  return record!.secret;
}
