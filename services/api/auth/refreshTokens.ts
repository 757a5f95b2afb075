import { randomBytes } from 'node:crypto';
import type { Collections } from '../../../shared/store/collections.js';
import type { TokenFamily } from '../../../shared/store/credentials.js';
import { timeLimit } from '../timeLimit.js';
import { expiredCredential, invalidCredential } from './refusals.js';
import { isSigned, sign } from './signature.js';

type Families = Pick<Collections, 'refreshTokens'>;

/**
 * A refresh token is `fr_<family>_<generation>_<expiry>_<signature>`. The signature proves that this service issued it.
 * So no token is stored: the store only holds which generation of a family works now.
 */
const FORM = /^fr_([0-9a-f]{32})_(\d{1,9})_(\d{10,12})_([\w-]{43})$/;
const PURPOSE = 'refresh token';

export interface RefreshSettings {
  secret: string;
  lifeSeconds: number;
}

/** A refresh token as it is issued, with the login that it belongs to. */
export interface IssuedRefreshToken {
  refreshToken: string;
  family: TokenFamily;
}

/** The user of a login, as the platform named them. */
export type Account = Pick<TokenFamily, 'userId' | 'username' | 'avatar'>;

/** Begins a family for a login, and gives its first refresh token. */
export async function beginFamily(
  { refreshTokens }: Families,
  settings: RefreshSettings,
  { userId, username, avatar }: Account,
): Promise<IssuedRefreshToken> {
  const expiresAt = expiryOf(settings);
  const family: TokenFamily = {
    ...{ _id: randomBytes(16).toString('hex'), userId, username, avatar },
    ...{ generation: 0, createdAt: new Date(), expiresAt },
  };
  await refreshTokens.insertOne(family);
  return { refreshToken: write(settings, family._id, 0, expiresAt), family };
}

/**
 * Exchanges a refresh token for the next one of its family, in one atomic update. A token that was exchanged before
 * revokes the whole family. Throws TOKEN_EXPIRED, FORBIDDEN.
 */
export async function rotate(
  { refreshTokens }: Families,
  settings: RefreshSettings,
  token: string,
): Promise<IssuedRefreshToken> {
  const { familyId, generation } = read(settings, token);
  const expiresAt = expiryOf(settings);
  const family = await refreshTokens.findOneAndUpdate(
    { _id: familyId, generation, revokedAt: { $exists: false } },
    { $inc: { generation: 1 }, $set: { expiresAt } },
    { ...timeLimit(), returnDocument: 'after' },
  );
  if (family) {
    return { refreshToken: write(settings, familyId, family.generation, expiresAt), family };
  }
  await refreshTokens.updateOne(
    { _id: familyId, revokedAt: { $exists: false } },
    { $set: { revokedAt: new Date() } },
  );
  throw invalidCredential('refresh token');
}

function read(
  { secret }: RefreshSettings,
  token: string,
): { familyId: string; generation: number } {
  const [, familyId = '', generation = '', expires = '', signature = ''] = FORM.exec(token) ?? [];
  const isOurs = isSigned(secret, PURPOSE, `${familyId}.${generation}.${expires}`, signature);
  if (!familyId || !isOurs) throw invalidCredential('refresh token');
  if (Number(expires) * 1_000 <= Date.now()) throw expiredCredential('refresh token');
  return { familyId, generation: Number(generation) };
}

function write({ secret }: RefreshSettings, id: string, generation: number, expiry: Date): string {
  const expires = Math.floor(expiry.getTime() / 1_000);
  const signature = sign(secret, PURPOSE, `${id}.${generation}.${expires}`);
  return `fr_${id}_${generation}_${expires}_${signature}`;
}

function expiryOf({ lifeSeconds }: RefreshSettings): Date {
  return new Date(Date.now() + lifeSeconds * 1_000);
}
