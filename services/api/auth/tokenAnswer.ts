import type { TokenResponse } from '../../../shared/contract/auth.js';
import { scopesOf } from '../../../shared/contract/scopes.js';
import { jsonAnswer, type Answer } from '../answer.js';
import type { Logins } from './createAuth.js';
import type { IssuedRefreshToken } from './refreshTokens.js';
import { signServiceToken, type TokenContent } from './serviceTokens.js';

/**
 * The answer of /auth/token and /auth/refresh: the refresh token, and a new service token with the user's current
 * levels.
 */
export function tokenAnswer(
  logins: Logins,
  { refreshToken, family: { _id: loginId, userId } }: IssuedRefreshToken,
): Answer {
  const content: TokenContent = logins.adminUserIds.has(userId)
    ? { userId, scopes: scopesOf('admin'), lifeSeconds: logins.adminTokenSeconds, loginId }
    : { userId, scopes: [], lifeSeconds: logins.accessTokenSeconds };
  const response: TokenResponse = {
    access_token: signServiceToken(logins.jwtSecret, content),
    token_type: 'Bearer',
    expires_in: content.lifeSeconds,
    refresh_token: refreshToken,
  };
  return { ...jsonAnswer(response), noStore: true };
}
