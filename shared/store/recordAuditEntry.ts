import { ObjectId } from 'mongodb';
import { ERASED_CALLER, type AuditEntry } from './audit.js';
import type { Collections } from './collections.js';
import { erasedPeople, erasureIdOf, type ErasedPeople } from './erasures.js';

type Store = Pick<Collections, 'audit' | 'erasures' | 'erasureState'>;

/** What may be the id of a person. */
const IDS = /\d{17,20}/g;
/** API keys, refresh tokens and service tokens: some are sent where an id or a name belongs. */
const SECRETS = /\b(?:f[ar]_|eyJ)[\w.-]{16,}/g;
/** Characters of a text that are kept. */
const LONGEST = 200;

/**
 * Keeps what was done, and gives the id of its line. Whom an erasure is about is kept as its keyed hash alone; the ids
 * of people who are erased already are not kept, be they the caller's or in what was asked, and no secrets are. Each text
 * of what was asked is cut to its first 200 characters.
 */
export async function recordAuditEntry(store: Store, entry: AuditEntry): Promise<string> {
  const erased = await erasedPeople(store);
  const params =
    entry.operation === 'eraseUser'
      ? { erasureId: await erasureIdOf(store, String(entry.params['userId'])) }
      : cleaned(erased, entry.params);
  const { kind, id } = entry.caller;
  const caller = { kind, id: erased.has(id) ? ERASED_CALLER : id };
  const _id = new ObjectId().toHexString();
  await store.audit.insertOne({ _id, at: new Date(), ...entry, params, caller });
  return _id;
}

/** Tells how something ended that was recorded when it began. */
export async function endAuditEntry(
  { audit }: Pick<Store, 'audit'>,
  entryId: string,
  ending: Pick<AuditEntry, 'outcome' | 'jobId'>,
): Promise<void> {
  await audit.updateOne({ _id: entryId }, { $set: ending });
}

function cleaned(erased: ErasedPeople, params: AuditEntry['params']): AuditEntry['params'] {
  const clean = JSON.stringify(params)
    .replace(IDS, (id) => (erased.has(id) ? ERASED_CALLER : id))
    .replace(SECRETS, '(secret)');
  // Only what is clean may be cut: a part of a secret or of an id would not be known for one.
  return JSON.parse(clean, (_name, value: unknown) =>
    typeof value === 'string' ? value.slice(0, LONGEST) : value,
  ) as AuditEntry['params'];
}
