import type { LoginRedirect } from '../../../shared/contract/auth.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import type { Auth } from './createAuth.js';
import { newState, stateCookie } from './oauthState.js';
import { notConfigured } from './refusals.js';

/**
 * GET /auth/login: a redirect to the platform, with a cookie that binds the login to the browser. Throws
 * NOT_CONFIGURED.
 */
export function login({ logins }: Auth): Handler<unknown, unknown> {
  return () => {
    if (!logins) return Promise.reject(notConfigured());
    const state = newState(logins.jwtSecret);
    const redirect: LoginRedirect = { location: logins.platform.loginUrl(state) };
    const cookie = stateCookie(logins.platform.redirectUri);
    return Promise.resolve({
      ...jsonAnswer(redirect),
      noStore: true,
      headers: { Location: redirect.location, 'Set-Cookie': cookie.begin(state) },
    });
  };
}
