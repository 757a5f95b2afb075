import type { LoggedOut, LogoutRequest } from '../../../shared/contract/auth.js';
import type { Collections } from '../../../shared/store/collections.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import type { Auth } from './createAuth.js';
import { endFamily } from './refreshTokens.js';
import { notConfigured } from './refusals.js';

/** POST /auth/logout: ends the login of a refresh token. Throws TOKEN_EXPIRED, FORBIDDEN and NOT_CONFIGURED. */
export function logOut(
  store: Pick<Collections, 'refreshTokens'>,
  { logins }: Auth,
): Handler<unknown, unknown, LogoutRequest> {
  return async ({ body }) => {
    if (!logins) throw notConfigured();
    await endFamily(store, logins, body.refresh_token);
    const ended: LoggedOut = { status: 'ended' };
    return { ...jsonAnswer(ended), noStore: true };
  };
}
