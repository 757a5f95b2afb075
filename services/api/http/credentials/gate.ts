import type { Context } from 'koa';
import { SCOPES } from '../../../../shared/contract/scopes.js';
import { AppError } from '../../../../shared/contract/errors.js';
import type { Access, Operation } from '../../../../shared/contract/operation.js';
import { isLocalHost } from '../../../../shared/platform/localHost.js';
import type { Credential } from '../../auth/credential.js';
import type { Identify } from '../../auth/identify.js';
import { InvalidCredential, invalidCredential, missingCredential } from '../../auth/refusals.js';
import type { Admitted, Caller } from '../../caller.js';
import { isLoopbackOrigin, isOwnOrigin } from '../origin.js';
import type { AddressReader } from './addressReader.js';
import { countRequest, limitOf, refuseBlocked } from './countRequest.js';
import type { RateLimits } from './rateLimits.js';
import { readCredential } from './readCredential.js';

/** What the gate needs to know of an operation. */
interface Guarded extends Pick<Operation, 'access' | 'limitedAs'> {
  /** Whether browsers may send an API key as a password. */
  basic?: boolean;
}

/**
 * Admits a request to an operation, and counts it. Gives its caller; null on a public operation. Throws the error to
 * answer with where the request is refused.
 */
export type Gate = (ctx: Context, operation: Guarded) => Admitted | null | Promise<Admitted | null>;

export interface GateOptions {
  /** Whether credentials are ignored, and everybody may do everything, except for pages of other sites. */
  disableAuth: boolean;
  identify: Identify;
  /** Undefined where nothing is limited. */
  limits: RateLimits | undefined;
  /** Reads the address under which a request is counted. */
  addressOf: AddressReader;
}

/** As how many requests a search counts towards the limit of a caller. */
const SEARCH_WEIGHT = 10;
/** Stands in for the operation where a request counts as a read, whatever its operation. */
const UNKNOWN = { access: 'public' } as const;
/** The caller of protected operations with DISABLE_AUTH. */
const DEVELOPER: Admitted = {
  kind: 'development',
  id: 'development',
  scopes: SCOPES,
  recheck: () => Promise.resolve(),
};

/** Makes the gate of an API. It returns a promise only for a request with a credential. */
export function createGate(options: GateOptions): Gate {
  return (ctx, operation) => {
    const credential = options.disableAuth ? null : readOne(ctx, operation, options);
    // Only the platform can check a code. A right key beside the code does not make the code right.
    if (operation.limitedAs === 'code') refuseGuesser(ctx, options);
    if (credential && operation.access !== 'public') {
      return admit(ctx, operation.access, credential, options);
    }
    if (credential) return countPublic(ctx, operation, credential, options);
    countByAddress(ctx, operation, options);
    if (operation.access === 'public') return null;
    if (options.disableAuth) return developer(ctx);
    throw missingCredential(operation.access, operation.basic);
  };
}

/**
 * Admits a request to a protected operation with DISABLE_AUTH. Throws FORBIDDEN for a request of another site's page.
 */
function developer(ctx: Context): Admitted {
  const isHere = isLocalHost(ctx.get('Host')) && (isOwnOrigin(ctx) || isLoopbackOrigin(ctx));
  if (!isHere) {
    throw new AppError('FORBIDDEN', 'With DISABLE_AUTH, pages of other sites must not use this');
  }
  ctx.state['caller'] = DEVELOPER;
  return DEVELOPER;
}

/** Reads the credential of a request. Where it has two, the request counts as a read of its address. */
function readOne(ctx: Context, { basic }: Guarded, options: GateOptions): Credential | null {
  try {
    return readCredential(ctx.req, basic);
  } catch (error) {
    countByAddress(ctx, UNKNOWN, options);
    throw error;
  }
}

/** Admits a request to a protected operation where its credential is valid and has a sufficient level. */
async function admit(
  ctx: Context,
  access: Exclude<Access, 'public'>,
  credential: Credential,
  options: GateOptions,
): Promise<Admitted> {
  const { limits } = options;
  // A key or a service token is checked in any case, because that costs little.
  const caller =
    credential.kind === 'platform'
      ? await resolveByPlatform(ctx, access, credential, options)
      : await resolve(ctx, access, credential, options);
  if (!isAllowed(caller, access)) {
    // Such a refusal is stored in the audit trail. The limit of wrong credentials keeps anybody from filling it.
    refuseGuesser(ctx, options);
    limits?.failedCredentials.take(options.addressOf(ctx.req));
    throw tooLow(access);
  }
  return {
    ...caller,
    async recheck() {
      if (!isAllowed(await options.identify(credential), access)) throw tooLow(access);
    },
  };
}

function isAllowed({ scopes }: Caller, access: Exclude<Access, 'public'>): boolean {
  return access === 'me' || scopes.includes(access);
}

function tooLow(access: Access): AppError {
  return new AppError('FORBIDDEN', `This needs the level ${access}`);
}

/**
 * Finds the caller of a platform token for a protected operation. The platform must not be asked too often. So the
 * request is counted before, by its address: callers whom the platform names have no level. Throws RATE_LIMITED,
 * without a question to the platform, also where the address has sent too many wrong credentials.
 */
async function resolveByPlatform(
  ctx: Context,
  access: Exclude<Access, 'public'>,
  credential: Credential,
  options: GateOptions,
): Promise<Caller> {
  refuseGuesser(ctx, options);
  countByAddress(ctx, UNKNOWN, options);
  if (access !== 'me') throw invalidCredential('token');
  const caller = await options.identify(credential);
  ctx.state['caller'] = caller;
  return caller;
}

/**
 * Finds the caller of any other credential for a protected operation, and counts the request. Where the credential is
 * refused or cannot be checked, the request counts as a read of its address.
 */
async function resolve(
  ctx: Context,
  access: Exclude<Access, 'public'>,
  credential: Credential,
  options: GateOptions,
): Promise<Caller> {
  let caller: Caller;
  try {
    if (access === 'me' && credential.kind === 'key') {
      throw new AppError('FORBIDDEN', 'An API key belongs to no user; this needs a bearer token');
    }
    caller = await options.identify(credential);
  } catch (error) {
    countByAddress(ctx, UNKNOWN, options);
    throw error;
  }
  ctx.state['caller'] = caller;
  countCaller(ctx, caller, UNKNOWN, options);
  return caller;
}

/**
 * Counts a request with a credential to a public operation. The credential only decides which limit counts it. Where
 * the credential is wrong, or cannot be checked now, the request counts as one without a credential. The handler never
 * gets the caller.
 */
async function countPublic(
  ctx: Context,
  operation: Guarded,
  credential: Credential,
  options: GateOptions,
): Promise<null> {
  const isCounted = options.limits && operation.limitedAs !== 'nothing';
  const caller = isCounted ? await recognise(ctx, credential, options) : undefined;
  if (caller) ctx.state['caller'] = caller;
  countCaller(ctx, caller, operation, options);
  return null;
}

/** The caller of a credential on a public operation; undefined where it is wrong or cannot be checked. */
async function recognise(
  { req }: Context,
  credential: Credential,
  { identify, limits, addressOf }: GateOptions,
): Promise<Caller | undefined> {
  if (credential.kind === 'platform') return undefined;
  try {
    return await identify(credential);
  } catch (error) {
    if (error instanceof InvalidCredential) limits?.failedCredentials.take(addressOf(req));
    return undefined;
  }
}

/**
 * Counts a request under the name of its caller. Without a caller, or for a caller without a level, it counts the
 * request by its address: anybody can have many accounts of the platform. Throws RATE_LIMITED.
 */
function countCaller(
  ctx: Context,
  caller: Caller | undefined,
  operation: Guarded,
  options: GateOptions,
): void {
  if (!caller || caller.scopes.length === 0) {
    countByAddress(ctx, operation, options);
    return;
  }
  const weight = operation.limitedAs === 'search' ? SEARCH_WEIGHT : 1;
  const name = nameOf(caller);
  ctx.state['asker'] = name;
  if (options.limits) countRequest(ctx, options.limits.callers, name, weight);
}

/** Throws RATE_LIMITED for an address that has sent too many wrong credentials. */
function refuseGuesser(ctx: Context, { limits, addressOf }: GateOptions): void {
  if (limits) refuseBlocked(ctx, limits.failedCredentials, addressOf(ctx.req));
}

/** Counts a request by its address. Throws RATE_LIMITED. */
function countByAddress(ctx: Context, operation: Guarded, options: GateOptions): void {
  const { limits } = options;
  const address = options.addressOf(ctx.req);
  ctx.state['asker'] = address;
  if (!limits) return;
  const limiter = limitOf(limits, operation);
  if (limiter) countRequest(ctx, limiter, address);
}

function nameOf({ kind, id }: Caller): string {
  return `${kind}:${id}`;
}
