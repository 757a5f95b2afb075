import { createSecretKey } from 'node:crypto';
import { SCOPES, scopesOf } from '../../../shared/contract/scopes.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { TokenFamily } from '../../../shared/store/credentials.js';
import type { Caller } from '../caller.js';
import { invalidCredential } from './refusals.js';
import { rememberBriefly } from './rememberBriefly.js';
import { readServiceToken } from './serviceTokens.js';

/** The settings by which service tokens are checked. */
export interface ServiceTokenSettings {
  jwtSecret: string;
  adminUserIds: ReadonlySet<string>;
}

/**
 * Makes a check of service tokens. A token that names a login is only valid while that login lasts, and only has a
 * level while its user is in ADMIN_USER_IDS. A token with the level write or admin must name a login. The check throws
 * TOKEN_EXPIRED and FORBIDDEN.
 */
export function createServiceTokenChecker(
  { refreshTokens }: Pick<Collections, 'refreshTokens'>,
  { jwtSecret, adminUserIds }: ServiceTokenSettings,
): (token: string) => Promise<Caller> {
  const findLogin = rememberBriefly<TokenFamily>((loginId) =>
    refreshTokens.findOne({ _id: loginId }),
  );
  // The key is made once. Given the text, the library would make a key for every token.
  const secret = createSecretKey(jwtSecret, 'utf8');
  return async (token) => {
    const { sub, scope, sid } = readServiceToken(secret, token);
    const level = SCOPES.findLast((known) => scope.includes(known));
    const caller = { kind: 'jwt' as const, id: sub, scopes: level ? scopesOf(level) : [] };
    if (sid !== undefined) {
      requireLogin(await findLogin(sid), sub);
      return adminUserIds.has(sub) ? caller : { ...caller, scopes: [] };
    }
    if (level === 'write' || level === 'admin') throw invalidCredential('token');
    return caller;
  };
}

/**
 * Throws FORBIDDEN where a login has ended or is of another user. Its expiry is not checked, because service tokens
 * never outlast it.
 */
function requireLogin(login: TokenFamily | null, userId: string): void {
  if (!login || login.revokedAt || login.userId !== userId) throw invalidCredential('token');
}
