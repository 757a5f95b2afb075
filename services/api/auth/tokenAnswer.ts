import { scopesOf, type TokenResponse } from '../../../shared/contract/auth.js';
import { jsonAnswer, type Answer } from '../answer.js';
import type { Logins } from './createAuth.js';
import { signServiceToken } from './serviceTokens.js';

/** A new service token for a user, with the levels that they have now, and the refresh token beside it. */
export function tokenAnswer(logins: Logins, userId: string, refreshToken: string): Answer {
  const { jwtSecret, accessTokenSeconds: lifeSeconds, adminUserIds } = logins;
  const scopes = scopesOf(adminUserIds.has(userId) ? 'admin' : 'read');
  const response: TokenResponse = {
    access_token: signServiceToken(jwtSecret, { userId, scopes, lifeSeconds }),
    token_type: 'Bearer',
    expires_in: lifeSeconds,
    refresh_token: refreshToken,
  };
  return { ...jsonAnswer(response), noStore: true };
}
