import { createHash, randomBytes } from 'node:crypto';
import type { Document } from 'mongodb';
import type { ApiKey } from '../contract/auth.js';
import { MOST_KEY_YEARS, type Scope } from '../contract/scopes.js';
import type { Collections } from './collections.js';
import type { ApiKeyRecord } from './credentials.js';

type Keys = Pick<Collections, 'apiKeys'>;

const ID_BYTES = 8;
const SECRET_BYTES = 24;
const FORM = /^fa_([0-9a-f]{16})_[0-9a-f]{48}$/;

/** The id in a key; undefined where the text is no key. */
export function apiKeyId(key: string): string | undefined {
  return FORM.exec(key)?.[1];
}

/** The SHA-256 of a key, hexadecimal. Only this is stored. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Makes a key with 192 random bits. Only its hash is stored, so the caller must show `key` now. */
export async function createApiKey(
  { apiKeys }: Keys,
  { name, level, expiresAt }: { name: string; level: Scope; expiresAt: Date | null },
): Promise<{ key: string; record: ApiKeyRecord }> {
  const keyId = randomBytes(ID_BYTES).toString('hex');
  const key = `fa_${keyId}_${randomBytes(SECRET_BYTES).toString('hex')}`;
  const record: ApiKeyRecord = {
    _id: keyId,
    name,
    level,
    hash: hashApiKey(key),
    createdAt: new Date(),
    expiresAt,
    lastUsedAt: null,
    revokedAt: null,
  };
  await apiKeys.insertOne(record);
  return { key, record };
}

/** Whether a key may expire at this time: in the future, and at most MOST_KEY_YEARS from now. */
export function isKeyExpiry(date: Date): boolean {
  const now = new Date();
  const latest = new Date(now);
  latest.setUTCFullYear(now.getUTCFullYear() + MOST_KEY_YEARS);
  return date > now && date <= latest;
}

/** The place of a key in the list of keys. */
export type KeyPlace = Pick<ApiKeyRecord, '_id' | 'createdAt'>;

/** The time at which a key was made, as `timeIn` reads it. */
const MADE_AT = { $cond: [{ $eq: [{ $type: '$createdAt' }, 'date'] }, '$createdAt', timeIn(null)] };

/** The keys, newest first: all of them, or a page that begins after a place. */
export function findApiKeys(
  { apiKeys }: Keys,
  { after, limit }: { after?: KeyPlace | undefined; limit?: number } = {},
): Promise<ApiKeyRecord[]> {
  const steps: Document[] = [{ $set: { createdAt: MADE_AT } }];
  if (after) {
    const { _id, createdAt } = after;
    steps.push({
      $match: { $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $gt: _id } }] },
    });
  }
  steps.push({ $sort: { createdAt: -1, _id: 1 } });
  if (limit) steps.push({ $limit: limit });
  return apiKeys.aggregate<ApiKeyRecord>(steps).toArray();
}

/** Revokes a key for good, and returns its record; null where there is none. */
export async function revokeApiKey({ apiKeys }: Keys, keyId: string): Promise<ApiKeyRecord | null> {
  const works = { _id: keyId, revokedAt: null };
  await apiKeys.updateOne(works, { $set: { revokedAt: new Date() } });
  return apiKeys.findOne({ _id: keyId });
}

/** A key without its hash, as the API shows it. */
export function presentApiKey(record: ApiKeyRecord): ApiKey {
  return {
    id: record._id,
    name: keyName(record),
    level: textIn(record.level) as Scope,
    createdAt: timeIn(record.createdAt).toISOString(),
    expiresAt: timeOrNull(record.expiresAt)?.toISOString() ?? null,
    lastUsedAt: timeOrNull(record.lastUsedAt)?.toISOString() ?? null,
    revokedAt: timeOrNull(record.revokedAt)?.toISOString() ?? null,
  };
}

/** The name of a key as a text. Somebody who inserts a record by hand may leave it out, or write something else. */
export function keyName({ name }: ApiKeyRecord): string {
  return textIn(name);
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/**
 * A time in the record of a key. Somebody who inserts a record by hand may write a text or a number instead. That
 * counts as 1970. So a key whose end cannot be read has expired.
 */
export function timeIn(value: unknown): Date {
  return value instanceof Date ? value : new Date(0);
}

/** A time in the record of a key that need not be there; null without it. */
export function timeOrNull(value: unknown): Date | null {
  return value === undefined || value === null ? null : timeIn(value);
}
