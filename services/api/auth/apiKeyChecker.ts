import { scopesOf } from '../../../shared/contract/scopes.js';
import { equalTexts } from '../../../shared/platform/equalTexts.js';
import { apiKeyId, hashApiKey, timeIn, timeOrNull } from '../../../shared/store/apiKeys.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { ApiKeyRecord } from '../../../shared/store/credentials.js';
import { findGathered } from '../../../shared/store/gather.js';
import type { Caller } from '../caller.js';
import { expiredCredential, invalidCredential } from './refusals.js';
import { rememberBriefly } from './rememberBriefly.js';

/** The last use of a key is recorded at most once in this time (ms). */
const RECORDED_EVERY_MS = 60_000;

/**
 * Makes a check of API keys against the stored hashes. However many keys arrive, MongoDB gets one query at a time, for
 * all keys that wait. The check throws TOKEN_EXPIRED and FORBIDDEN.
 */
export function createApiKeyChecker({
  apiKeys,
}: Pick<Collections, 'apiKeys'>): (key: string) => Promise<Caller> {
  const find = rememberBriefly<ApiKeyRecord>((keyId) => findGathered(apiKeys, keyId));
  return async (key) => {
    const keyId = apiKeyId(key);
    const record = keyId === undefined ? null : await find(keyId);
    // An operator may have inserted a record with a hash that is not a string.
    const matches = equalTexts(String(record?.hash), hashApiKey(key));
    if (!record || !matches || timeOrNull(record.revokedAt)) throw invalidCredential('API key');
    const end = timeOrNull(record.expiresAt);
    if (end && end.getTime() <= Date.now()) throw expiredCredential('API key');
    recordUse(apiKeys, record);
    return { kind: 'key', id: record._id, scopes: scopesOf(record.level) };
  };
}

/** Records that a key is used now. The request does not wait for it. */
function recordUse(apiKeys: Collections['apiKeys'], record: ApiKeyRecord): void {
  const now = new Date();
  // A last use in the future was recorded while a clock was wrong. So it is replaced as well.
  const sinceMs = Math.abs(now.getTime() - timeIn(record.lastUsedAt ?? 0).getTime());
  if (sinceMs < RECORDED_EVERY_MS) return;
  record.lastUsedAt = now;
  apiKeys.updateOne({ _id: record._id }, { $set: { lastUsedAt: now } }).catch(() => undefined);
}
