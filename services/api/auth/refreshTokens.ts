import { randomBytes } from 'node:crypto';
import type { Filter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { TokenFamily } from '../../../shared/store/credentials.js';
import { expiredCredential, invalidCredential } from './refusals.js';
import { isSigned, sign } from './signature.js';

type Families = Pick<Collections, 'refreshTokens'>;

/**
 * A refresh token is `fr_<family>_<generation>_<expiry>_<signature>`. All refresh tokens of one login are a family, and
 * each exchange issues the next generation. The signature proves that this service issued the token, so no token has to
 * be stored. MongoDB only holds which generation of a family is valid.
 */
const FORM = /^fr_([0-9a-f]{32})_(\d{1,9})_(\d{10,12})_([\w-]{43})$/;
const PURPOSE = 'refresh token';

export interface RefreshSettings {
  jwtSecret: string;
  refreshTokenSeconds: number;
}

/** A refresh token that was just issued, with its family. */
export interface IssuedRefreshToken {
  refreshToken: string;
  family: TokenFamily;
}

/** The user of a login, as the platform described them at that time. */
export type Account = Pick<TokenFamily, 'userId' | 'username' | 'avatar'>;

/** Stores a new family for a login, and returns its first refresh token. */
export async function beginFamily(
  { refreshTokens }: Families,
  settings: RefreshSettings,
  { userId, username, avatar }: Account,
): Promise<IssuedRefreshToken> {
  const expiresAt = expiryOf(settings);
  const family: TokenFamily = {
    _id: randomId(),
    userId,
    username,
    avatar,
    generation: 0,
    createdAt: new Date(),
    expiresAt,
  };
  await refreshTokens.insertOne(family);
  return { refreshToken: write(settings, family._id, 0, expiresAt), family };
}

/**
 * Exchanges a refresh token for the next one of its family. Where a token is used several times at once, exactly one
 * use succeeds. Each of the others revokes the whole family. An exchange that failed because of the store can be
 * repeated with the same token, because nobody got the next one. Throws TOKEN_EXPIRED and FORBIDDEN.
 */
export async function rotate(
  { refreshTokens }: Families,
  settings: RefreshSettings,
  token: string,
): Promise<IssuedRefreshToken> {
  const { familyId, generation } = read(settings, token);
  const expiresAt = expiryOf(settings);
  const next = { familyId, generation: generation + 1, expiresAt, exchangeId: randomId() };
  const family = await beginExchange(refreshTokens, next);
  if (family && (await endExchange(refreshTokens, next))) {
    return { refreshToken: write(settings, familyId, next.generation, expiresAt), family };
  }
  await revoke(refreshTokens, familyId);
  throw invalidCredential('refresh token');
}

/**
 * Revokes the family of a refresh token, of whatever generation the token is. Throws TOKEN_EXPIRED and FORBIDDEN for
 * the token itself.
 */
export async function endFamily(
  { refreshTokens }: Families,
  settings: RefreshSettings,
  token: string,
): Promise<void> {
  await revoke(refreshTokens, read(settings, token).familyId);
}

async function revoke(refreshTokens: Families['refreshTokens'], familyId: string): Promise<void> {
  await refreshTokens.updateOne({ _id: familyId }, { $set: { revokedAt: new Date() } });
}

/** The exchange of a refresh token for the next one. */
interface Exchange {
  familyId: string;
  /** The generation of the token that this exchange issues. */
  generation: number;
  /** When that token expires. */
  expiresAt: Date;
  /** A random id. The family holds it while the exchange is open. */
  exchangeId: string;
}

/**
 * Makes the next generation the valid one, in one atomic update, and marks the exchange as open. Where another exchange
 * of the same token is still open, this one takes its place. Null where the token was exchanged before, or where its
 * family is gone or revoked.
 */
async function beginExchange(
  refreshTokens: Families['refreshTokens'],
  { familyId, generation, expiresAt, exchangeId }: Exchange,
): Promise<TokenFamily | null> {
  const begin = (state: Pick<Filter<TokenFamily>, 'generation' | 'exchangeId'>) =>
    refreshTokens.findOneAndUpdate(
      { _id: familyId, revokedAt: { $exists: false }, ...state },
      { $set: { generation, expiresAt, exchangeId } },
      { returnDocument: 'after' },
    );
  return (
    (await begin({ generation: generation - 1 })) ??
    // Request A began an exchange, but MongoDB did not answer in time, so A got a 503. Now its client sends the same
    // token again.
    (await begin({ generation, exchangeId: { $exists: true } }))
  );
}

/**
 * Marks an exchange as ended, before its token is issued. Returns false where another exchange has taken its place:
 * request A begins an exchange; meanwhile request B sends the same token, and takes the place of A. Then only B may
 * issue the next token.
 */
async function endExchange(
  refreshTokens: Families['refreshTokens'],
  { familyId, exchangeId }: Exchange,
): Promise<boolean> {
  try {
    const { matchedCount } = await refreshTokens.updateOne(
      { _id: familyId, exchangeId },
      { $unset: { exchangeId: '' } },
    );
    return matchedCount === 1;
  } catch {
    // Nobody knows whether the exchange was marked as ended. If it was, the old token is no longer valid, and a client
    // that got an error here could not repeat its request. So the new token is issued.
    return true;
  }
}

function read(
  { jwtSecret }: RefreshSettings,
  token: string,
): { familyId: string; generation: number } {
  const [, familyId = '', generation = '', expires = '', signature = ''] = FORM.exec(token) ?? [];
  const isOurs = isSigned(jwtSecret, PURPOSE, `${familyId}.${generation}.${expires}`, signature);
  if (!isOurs) throw invalidCredential('refresh token');
  if (Number(expires) * 1_000 <= Date.now()) throw expiredCredential('refresh token');
  return { familyId, generation: Number(generation) };
}

function write(
  { jwtSecret }: RefreshSettings,
  id: string,
  generation: number,
  expiry: Date,
): string {
  const expires = Math.floor(expiry.getTime() / 1_000);
  const signature = sign(jwtSecret, PURPOSE, `${id}.${generation}.${expires}`);
  return `fr_${id}_${generation}_${expires}_${signature}`;
}

function expiryOf({ refreshTokenSeconds }: RefreshSettings): Date {
  return new Date(Date.now() + refreshTokenSeconds * 1_000);
}

function randomId(): string {
  return randomBytes(16).toString('hex');
}
