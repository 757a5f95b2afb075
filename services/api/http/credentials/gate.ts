import type { Context } from 'koa';
import { SCOPES } from '../../../../shared/contract/scopes.js';
import { AppError } from '../../../../shared/contract/errors.js';
import type { Access, Operation } from '../../../../shared/contract/operation.js';
import type { Credential } from '../../auth/credential.js';
import type { Identify } from '../../auth/identify.js';
import { InvalidCredential, invalidCredential, missingCredential } from '../../auth/refusals.js';
import type { Caller } from '../../caller.js';
import { isLocalHost, isLoopbackOrigin, isOwnOrigin } from '../origin.js';
import type { AddressReader } from './addressReader.js';
import { countRequest, limitOf, refuseBlocked } from './countRequest.js';
import type { RateLimits } from './rateLimits.js';
import { readCredential } from './readCredential.js';

interface Guarded extends Pick<Operation, 'access' | 'limitedAs'> {
  /** Whether browsers may send an API key as a password. */
  basic?: boolean;
}

/** Admits a request to an operation and gives its caller, or throws the error to answer with. */
export type Gate = (ctx: Context, operation: Guarded) => Caller | null | Promise<Caller | null>;

export interface GateOptions {
  /** Lets everyone do everything, except pages of other sites. */
  disableAuth: boolean;
  identify: Identify;
  /** Undefined where nothing is limited. */
  limits: RateLimits | undefined;
  /** Reads the address under which a request is counted. */
  addressOf: AddressReader;
}

/** A search counts as so many requests of its caller. */
const SEARCH_WEIGHT = 10;
/** A request whose caller is not known counts as a read. */
const UNKNOWN = { access: 'public' } as const;
const DEVELOPER: Caller = { kind: 'development', id: 'development', scopes: SCOPES };

/** The gate of an API. A request without a credential never waits here. */
export function createGate(options: GateOptions): Gate {
  return (ctx, operation) => {
    const credential = options.disableAuth ? null : readOne(ctx, operation, options);
    if (credential && operation.access !== 'public') {
      return admit(ctx, operation.access, credential, options);
    }
    if (credential) return welcome(ctx, operation, credential, options);
    countByAddress(ctx, operation, options);
    if (options.disableAuth) return developer(ctx, operation);
    if (operation.access === 'public') return null;
    throw missingCredential(operation.basic);
  };
}

/** The caller while DISABLE_AUTH is set. Throws FORBIDDEN where a page of another site calls a protected operation. */
function developer(ctx: Context, { access }: Guarded): Caller {
  if (access === 'public') return DEVELOPER;
  if (isLocalHost(ctx) && (isOwnOrigin(ctx) || isLoopbackOrigin(ctx))) return DEVELOPER;
  throw new AppError('FORBIDDEN', 'Without credentials, no page of another site may ask this');
}

function readOne(ctx: Context, { basic }: Guarded, options: GateOptions): Credential | null {
  try {
    return readCredential(ctx.req, basic);
  } catch (error) {
    countByAddress(ctx, UNKNOWN, options);
    throw error;
  }
}

/** Lets a caller of sufficient level pass to a protected operation. */
async function admit(
  ctx: Context,
  access: Exclude<Access, 'public'>,
  credential: Credential,
  options: GateOptions,
): Promise<Caller> {
  const { limits } = options;
  // Checking a key or a service token costs little. The platform is not asked on behalf of an address that guesses.
  if (credential.kind === 'platform') refuseGuesser(ctx, options);
  const caller = await resolve(ctx, access, credential, options);
  ctx.state['caller'] = caller;
  countCaller(ctx, caller, UNKNOWN, options);
  if (access !== 'me' && !caller.scopes.includes(access)) {
    // Each of these refusals is audited. The limit keeps anybody from filling the audit trail.
    refuseGuesser(ctx, options);
    limits?.failedCredentials.take(options.addressOf(ctx.req));
    throw new AppError('FORBIDDEN', `This needs the level ${access}`);
  }
  return caller;
}

/** Whose credential it is. When that fails, the request counts as a read of its address. */
async function resolve(
  ctx: Context,
  access: Exclude<Access, 'public'>,
  credential: Credential,
  options: GateOptions,
): Promise<Caller> {
  try {
    if (access === 'me' && credential.kind === 'key') {
      throw new AppError('FORBIDDEN', 'An API key is no user; this needs a bearer token');
    }
    if (access !== 'me' && credential.kind === 'platform') throw invalidCredential('token');
    return await options.identify(credential);
  } catch (error) {
    countByAddress(ctx, UNKNOWN, options);
    throw error;
  }
}

/**
 * On a public operation a credential only decides which limit counts the request. A credential that is wrong, or that
 * cannot be checked now, counts as none. The answer is the same for everyone, so the handler gets no caller.
 */
async function welcome(
  ctx: Context,
  operation: Guarded,
  credential: Credential,
  options: GateOptions,
): Promise<null> {
  const limits = operation.limitedAs === 'nothing' ? undefined : options.limits;
  const caller = limits && (await recognise(ctx, credential, { ...options, limits }));
  if (caller) ctx.state['caller'] = caller;
  countCaller(ctx, caller, operation, options);
  return null;
}

async function recognise(
  { req }: Context,
  credential: Credential,
  { identify, limits, addressOf }: GateOptions & { limits: RateLimits },
): Promise<Caller | undefined> {
  if (credential.kind === 'platform') return undefined;
  try {
    return await identify(credential);
  } catch (error) {
    if (error instanceof InvalidCredential) limits.failedCredentials.take(addressOf(req));
    return undefined;
  }
}

/**
 * Counts a request under its caller's name. A caller without a level counts by address, like a request without a
 * credential: anybody can have many accounts of the platform.
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
  if (options.limits) countRequest(ctx, options.limits.callers, nameOf(caller), weight);
}

/** Throws RATE_LIMITED for an address with too many wrong credentials. */
function refuseGuesser(ctx: Context, { limits, addressOf }: GateOptions): void {
  if (limits) refuseBlocked(ctx, limits.failedCredentials, addressOf(ctx.req));
}

function countByAddress(ctx: Context, operation: Guarded, options: GateOptions): void {
  const { limits } = options;
  if (!limits) return;
  if (operation.limitedAs === 'code') refuseGuesser(ctx, options);
  const limiter = limitOf(limits, operation);
  if (limiter) countRequest(ctx, limiter, options.addressOf(ctx.req));
}

function nameOf({ kind, id }: Caller): string {
  return `${kind}:${id}`;
}
