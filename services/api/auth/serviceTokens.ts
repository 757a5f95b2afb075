import type { KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Scope } from '../../../shared/contract/scopes.js';
import { expiredCredential, invalidCredential } from './refusals.js';
import {
  AUDIENCE,
  CLOCK_SKEW_SECONDS,
  ISSUER,
  serviceClaimsSchema,
  type ServiceClaims,
} from './serviceClaims.js';

const ALGORITHM = 'HS256';

/** The content of a service token. */
export interface TokenContent {
  userId: string;
  scopes: Scope[];
  /** How long it is valid from now (seconds). */
  lifeSeconds: number;
  /** The login that it came from. Without one, the token cannot be revoked. */
  loginId?: string;
}

/** Makes a service token: a JWT, signed by HS256. */
export function signServiceToken(
  secret: string,
  { userId, scopes, lifeSeconds, loginId }: TokenContent,
): string {
  return jwt.sign({ scope: scopes, sid: loginId }, secret, {
    algorithm: ALGORITHM,
    subject: userId,
    expiresIn: lifeSeconds,
    issuer: ISSUER,
    audience: AUDIENCE,
  });
}

/** The claims of a service token. Throws TOKEN_EXPIRED, and FORBIDDEN where the signature or a claim is wrong. */
export function readServiceToken(secret: KeyObject, token: string): ServiceClaims {
  const checked = serviceClaimsSchema.validate(verify(secret, token), { convert: false });
  if (checked.error) throw invalidCredential('token');
  const isFromAhead = checked.value.iat > Date.now() / 1_000 + CLOCK_SKEW_SECONDS;
  if (isFromAhead) throw invalidCredential('token');
  return checked.value;
}

function verify(secret: KeyObject, token: string): unknown {
  try {
    return jwt.verify(token, secret, {
      algorithms: [ALGORITHM],
      clockTolerance: CLOCK_SKEW_SECONDS,
    });
  } catch (error) {
    if (error instanceof jwt.TokenExpiredError) throw expiredCredential('token');
  }
  throw invalidCredential('token');
}
