import type { RefreshRequest } from '../../../shared/contract/auth.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { Handler } from '../http/route.js';
import type { Auth } from './createAuth.js';
import { rotate } from './refreshTokens.js';
import { notConfigured } from './refusals.js';
import { tokenAnswer } from './tokenAnswer.js';

/** POST /auth/refresh: exchanges a refresh token for new tokens. Throws TOKEN_EXPIRED, FORBIDDEN and NOT_CONFIGURED. */
export function refreshToken(
  store: Pick<Collections, 'refreshTokens'>,
  { logins }: Auth,
): Handler<unknown, unknown, RefreshRequest> {
  return async ({ body }) => {
    if (!logins) throw notConfigured();
    return tokenAnswer(logins, await rotate(store, logins, body.refresh_token));
  };
}
