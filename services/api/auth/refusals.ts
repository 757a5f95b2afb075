import { AppError } from '../../../shared/contract/errors.js';
import type { Access } from '../../../shared/contract/operation.js';

const BASIC_REALM = 'Basic realm="forum-archive", charset="UTF-8"';
const REALM = 'Bearer realm="forum-archive"';

/**
 * 401 UNAUTHORIZED: a protected operation was called without a credential. With `basic`, a browser asks for a password.
 */
export function missingCredential(access: Access, basic = false): AppError {
  // An API key is no user, so it is not enough for what tells a user about themselves.
  const needed = access === 'me' ? 'a bearer token' : 'an X-API-Key header or a bearer token';
  return new AppError('UNAUTHORIZED', `This needs ${needed}`, {
    headers: { 'WWW-Authenticate': basic ? BASIC_REALM : REALM },
  });
}

/** 401 TOKEN_EXPIRED: the credential was valid once. */
export function expiredCredential(what: string): AppError {
  return new AppError('TOKEN_EXPIRED', `The ${what} has expired`, {
    headers: { 'WWW-Authenticate': `${REALM}, error="invalid_token"` },
  });
}

/** 403 FORBIDDEN: the credential is not valid, or no longer. The message neither says why nor repeats it. */
export function invalidCredential(what: string): InvalidCredential {
  return new InvalidCredential('FORBIDDEN', `The ${what} is not valid`);
}

/**
 * Turns the refusal of an API key that was sent as a password into 401 with a Basic challenge. This holds for a wrong
 * key, an expired key, and one with too low a level. A browser then asks for another password. After a 403, it would
 * keep sending the same one until it is closed. Other errors are returned unchanged.
 */
export function refusedPassword(refusal: AppError): AppError {
  const options = { headers: { 'WWW-Authenticate': BASIC_REALM } };
  if (refusal instanceof InvalidCredential) {
    return new InvalidCredential('UNAUTHORIZED', 'The password is not a valid API key', options);
  }
  if (refusal.code === 'FORBIDDEN') return new AppError('UNAUTHORIZED', refusal.message, options);
  if (refusal.code === 'TOKEN_EXPIRED') return new AppError(refusal.code, refusal.message, options);
  return refusal;
}

/** A refusal that counts towards the limit of wrong credentials. */
export class InvalidCredential extends AppError {}

/** 503 NOT_CONFIGURED. */
export function notConfigured(): AppError {
  return new AppError('NOT_CONFIGURED', 'Logging in is not configured on this service');
}
