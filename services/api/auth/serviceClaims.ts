import Joi from 'joi';
import { SCOPES, type Scope } from '../../../shared/contract/scopes.js';
import { LONGEST_TOKEN_SECONDS } from '../../../shared/platform/env.js';

/** The issuer of service tokens: the claim `iss`. */
export const ISSUER = 'forum-archive';
/**
 * The audience of service tokens: the claim `aud`. Tokens of version 1 held the issuer here. They let every user read
 * the administration, so they are no longer valid.
 */
export const AUDIENCE = 'forum-archive/2';
/** How far the clocks of the machines that issue and check tokens may differ (seconds). */
export const CLOCK_SKEW_SECONDS = 30;

/** The claims of a service token. `iat` and `exp` are seconds since 1970. */
export interface ServiceClaims {
  iss: string;
  aud: string;
  /** The id of the user. */
  sub: string;
  iat: number;
  exp: number;
  scope: Scope[];
  /** The id of the login that the token came from. The token is only valid while the login lasts. */
  sid?: string;
}

const seconds = () => Joi.number().required();

/** Checks ServiceClaims. It is needed in addition to the signature, because an operator may sign any claims. */
export const serviceClaimsSchema = Joi.object<ServiceClaims, true>({
  iss: Joi.string().valid(ISSUER).required(),
  aud: Joi.string().valid(AUDIENCE).required(),
  sub: Joi.string()
    .pattern(/^\d{1,20}$/)
    .required(),
  iat: seconds(),
  exp: seconds(),
  scope: Joi.array()
    .items(Joi.string().valid(...SCOPES))
    .required(),
  sid: Joi.string(),
})
  .unknown()
  .required()
  .custom((claims: ServiceClaims, helpers) =>
    claims.exp - claims.iat <= LONGEST_TOKEN_SECONDS ? claims : helpers.error('any.invalid'),
  );
