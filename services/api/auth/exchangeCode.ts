import type { TokenRequest } from '../../../shared/contract/auth.js';
import { AppError } from '../../../shared/contract/errors.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { Handler } from '../http/route.js';
import type { Auth, Logins } from './createAuth.js';
import { releaseState, stateCookie, useState } from './oauthState.js';
import { beginFamily } from './refreshTokens.js';
import { InvalidCredential, notConfigured } from './refusals.js';
import { tokenAnswer } from './tokenAnswer.js';

type Store = Pick<Collections, 'refreshTokens' | 'oauthStates'>;

/**
 * POST /auth/token: exchanges a code of the platform for tokens of this service. Throws FORBIDDEN for a wrong code or
 * state, VALIDATION_ERROR for a wrong `redirect_uri`, UNAVAILABLE and NOT_CONFIGURED.
 */
export function exchangeCode(
  store: Store,
  { logins }: Auth,
): Handler<unknown, unknown, TokenRequest> {
  return async ({ body, cookie }) => {
    if (!logins) throw notConfigured();
    checkRedirect(logins, body.redirect_uri);
    const { name, end } = stateCookie(logins.platform.redirectUri);
    const begun = cookie(name);
    await useState(store, logins.jwtSecret, { state: body.state, cookie: begun });
    const { platform } = logins;
    const user = await platform.logIn(body.code).catch(async (error: unknown) => {
      const isRefused = error instanceof InvalidCredential;
      if (!isRefused && body.state) await releaseState(store, body.state);
      throw error;
    });
    const issued = await beginFamily(store, logins, { ...user, userId: user.id });
    const answer = tokenAnswer(logins, issued);
    return begun === undefined ? answer : { ...answer, headers: { 'Set-Cookie': end } };
  };
}

/** Throws VALIDATION_ERROR for a wrong `redirect_uri`. The platform would refuse it, too, and use up the code. */
function checkRedirect({ platform }: Logins, given: string | undefined): void {
  if (given === undefined || given === platform.redirectUri) return;
  const message = 'redirect_uri is not the one that this service is registered with';
  throw new AppError('VALIDATION_ERROR', message, { details: [{ path: 'redirect_uri', message }] });
}
