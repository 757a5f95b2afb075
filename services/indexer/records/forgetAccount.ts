import { keyName } from '../../../shared/store/apiKeys.js';
import { ERASED_CALLER } from '../../../shared/store/audit.js';
import type { Collections } from '../../../shared/store/collections.js';
import { cleanTexts } from '../../../shared/store/recordAuditEntry.js';
import { syncOf } from '../../../shared/store/syncRecords.js';

type Accounts = Pick<Collections, 'refreshTokens' | 'apiKeys' | 'audit' | 'optOuts' | 'sync'>;

/**
 * Ends somebody's logins, and forgets where they are left out and of which servers they are a member. Takes their id
 * out of what operators left: a line of the audit trail stays without its caller's id, and an API key that was named
 * after them works on.
 */
export async function forgetAccount(accounts: Accounts, userId: string): Promise<void> {
  const { refreshTokens, audit } = accounts;
  await refreshTokens.deleteMany({ userId });
  await forgetMember(accounts, userId);
  await audit.updateMany({ 'caller.id': userId }, { $set: { 'caller.id': ERASED_CALLER } });
  await renameKeys(accounts, userId);
  await cleanParams(accounts, userId);
}

/** Forgets where somebody is left out, and of which servers they are a member. */
export async function forgetMember(
  { optOuts, sync }: Pick<Accounts, 'optOuts' | 'sync'>,
  userId: string,
): Promise<void> {
  await optOuts.deleteMany({ userId });
  await syncOf(sync, 'member').deleteMany({ kind: 'member', userId });
}

async function renameKeys({ apiKeys }: Accounts, userId: string): Promise<void> {
  for await (const key of apiKeys.find()) {
    const { _id } = key;
    const name = keyName(key);
    if (!name.includes(userId)) continue;
    await apiKeys.updateOne({ _id }, { $set: { name: name.replaceAll(userId, ERASED_CALLER) } });
  }
}

/**
 * Takes an id out of the parameters of audited requests, also where it was sent percent-encoded. These may name anyone,
 * such as in the name of an API key.
 */
async function cleanParams({ audit }: Accounts, userId: string): Promise<void> {
  for await (const { _id, params } of audit.find({}, { projection: { params: 1 } })) {
    const clean = cleanTexts(params, (text) => text.replaceAll(userId, ERASED_CALLER));
    if (JSON.stringify(clean) === JSON.stringify(params)) continue;
    await audit.updateOne({ _id }, { $set: { params: clean } });
  }
}
