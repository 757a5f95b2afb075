import jwt from 'jsonwebtoken';
import { SCOPES, scopesOf, type Scope } from '../../../shared/contract/auth.js';
import { expiredCredential, invalidCredential } from './refusals.js';

/** Both the issuer and the audience of service tokens. */
const SERVICE = 'forum-archive';
const ALGORITHM = 'HS256';
const SKEW_SECONDS = 30;

/** A service token (JWT) of a user. `lifeSeconds` from now. */
export function signServiceToken(
  secret: string,
  { userId, scopes, lifeSeconds }: { userId: string; scopes: Scope[]; lifeSeconds: number },
): string {
  return jwt.sign({ scope: scopes }, secret, {
    ...{ algorithm: ALGORITHM, subject: userId, expiresIn: lifeSeconds },
    ...{ issuer: SERVICE, audience: SERVICE },
  });
}

/** What a service token says. Throws TOKEN_EXPIRED, FORBIDDEN. */
export function readServiceToken(
  secret: string,
  token: string,
): { userId: string; scopes: Scope[] } {
  const { sub, exp, iat, iss, aud, scope } = verify(secret, token);
  const isOurs = (iss ?? SERVICE) === SERVICE && [aud ?? SERVICE].flat().includes(SERVICE);
  const isTimely = typeof exp === 'number' && (iat ?? 0) <= Date.now() / 1_000 + SKEW_SECONDS;
  const level = SCOPES.findLast((known) => Array.isArray(scope) && scope.includes(known));
  if (!sub || !isOurs || !isTimely || !level) throw invalidCredential('token');
  return { userId: sub, scopes: scopesOf(level) };
}

function verify(secret: string, token: string): jwt.JwtPayload {
  try {
    const payload = jwt.verify(token, secret, {
      algorithms: [ALGORITHM],
      clockTolerance: SKEW_SECONDS,
    });
    if (typeof payload === 'object') return payload;
  } catch (error) {
    if (error instanceof jwt.TokenExpiredError) throw expiredCredential('token');
  }
  throw invalidCredential('token');
}
