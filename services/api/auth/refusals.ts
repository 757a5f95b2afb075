import { AppError } from '../../../shared/contract/errors.js';

const BASIC_REALM = 'Basic realm="forum-archive", charset="UTF-8"';
const REALM = 'Bearer realm="forum-archive"';

/**
 * 401 UNAUTHORIZED: a protected operation was called without a credential. `basic` has a browser ask for a password.
 */
export function missingCredential(basic = false): AppError {
  return new AppError('UNAUTHORIZED', 'This needs an X-API-Key header or a bearer token', {
    headers: { 'WWW-Authenticate': basic ? BASIC_REALM : REALM },
  });
}

/** 401 TOKEN_EXPIRED: the credential was good once. */
export function expiredCredential(what: string): AppError {
  return new AppError('TOKEN_EXPIRED', `The ${what} has expired`, {
    headers: { 'WWW-Authenticate': `${REALM}, error="invalid_token"` },
  });
}

/** 403 FORBIDDEN: the credential is not valid, or not any more. The message neither says why nor repeats it. */
export function invalidCredential(what: string): InvalidCredential {
  return new InvalidCredential('FORBIDDEN', `The ${what} is not valid`);
}

/**
 * Turns the refusal of an API key that was sent as a password into 401 with a Basic challenge, whether the key is wrong,
 * has expired or has too low a level. After that, a browser asks for another password. After 403 it would go on sending
 * the same one until it is closed. Other errors stay as they are.
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

/** A refusal that counts as a wrong credential. */
export class InvalidCredential extends AppError {}

/** 503 NOT_CONFIGURED. */
export function notConfigured(): AppError {
  return new AppError('NOT_CONFIGURED', 'Logging in is not configured on this service');
}
