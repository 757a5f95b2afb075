import { AppError } from '../../../shared/contract/errors.js';
import type { Access } from '../../../shared/contract/operation.js';

const BASIC_CHALLENGE = 'Basic realm="forum-archive", charset="UTF-8"';
/** The WWW-Authenticate header that asks for a bearer token. */
export const BEARER_CHALLENGE = 'Bearer realm="forum-archive"';

/**
 * 401 UNAUTHORIZED: a protected operation was called without a credential. With `basic`, the challenge makes a browser
 * ask for a password.
 */
export function missingCredential(access: Access, basic = false): AppError {
  // An API key belongs to no user, so it is not enough for /api/me.
  const needed = access === 'me' ? 'a bearer token' : 'an X-API-Key header or a bearer token';
  return new AppError('UNAUTHORIZED', `This needs ${needed}`, {
    headers: { 'WWW-Authenticate': basic ? BASIC_CHALLENGE : BEARER_CHALLENGE },
  });
}

/** 401 TOKEN_EXPIRED: the credential was valid, but has expired. `what` names it, such as `token`. */
export function expiredCredential(what: string): AppError {
  return new AppError('TOKEN_EXPIRED', `The ${what} has expired`, {
    headers: { 'WWW-Authenticate': `${BEARER_CHALLENGE}, error="invalid_token"` },
  });
}

/** 403 FORBIDDEN: the credential is wrong or revoked. `what` names it. The message neither says why nor repeats it. */
export function invalidCredential(what: string): InvalidCredential {
  return new InvalidCredential('FORBIDDEN', `The ${what} is not valid`);
}

/**
 * Turns the refusal of an API key that was sent as a password into 401 with a Basic challenge, where the key is wrong,
 * has expired, or has too low a level. A browser then asks for another password. After a 403, it would send the same
 * password until it is closed. Returns other errors unchanged.
 */
export function refusedPassword(refusal: AppError): AppError {
  const options = { headers: { 'WWW-Authenticate': BASIC_CHALLENGE } };
  if (refusal instanceof InvalidCredential) {
    return new InvalidCredential('UNAUTHORIZED', 'The password is not a valid API key', options);
  }
  if (refusal.code === 'FORBIDDEN') return new AppError('UNAUTHORIZED', refusal.message, options);
  if (refusal.code === 'TOKEN_EXPIRED') return new AppError(refusal.code, refusal.message, options);
  return refusal;
}

/** A refusal that counts as a wrong credential of its address (RATE_LIMIT_FAILED_CREDENTIALS). */
export class InvalidCredential extends AppError {}

/** 503 NOT_CONFIGURED: the settings for logging in are missing. */
export function notConfigured(): AppError {
  return new AppError('NOT_CONFIGURED', 'Logging in is not configured on this service');
}
