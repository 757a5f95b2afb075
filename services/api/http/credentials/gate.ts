import type { Context } from 'koa';
import { SCOPES } from '../../../../shared/contract/scopes.js';
import { AppError } from '../../../../shared/contract/errors.js';
import type { Access, Operation } from '../../../../shared/contract/operation.js';
import type { Credential } from '../../auth/credential.js';
import type { Identify } from '../../auth/identify.js';
import { InvalidCredential, invalidCredential, missingCredential } from '../../auth/refusals.js';
import type { Admitted, Caller } from '../../caller.js';
import { isLocalHost, isLoopbackOrigin, isOwnOrigin } from '../origin.js';
import type { AddressReader } from './addressReader.js';
import { countRequest, limitOf, refuseBlocked } from './countRequest.js';
import type { RateLimits } from './rateLimits.js';
import { readCredential } from './readCredential.js';

interface Guarded extends Pick<Operation, 'access' | 'limitedAs'> {
  /** Whether browsers may send an API key as a password. */
  basic?: boolean;
}

/** Admits a request to an operation, and returns its caller. Otherwise throws the error to answer with. */
export type Gate = (ctx: Context, operation: Guarded) => Admitted | null | Promise<Admitted | null>;

export interface GateOptions {
  /** Allows everybody everything, except pages of other sites. */
  disableAuth: boolean;
  identify: Identify;
  /** Undefined where nothing is limited. */
  limits: RateLimits | undefined;
  /** Reads the address under which a request is counted. */
  addressOf: AddressReader;
}

/** A search counts as so many requests of its caller. */
const SEARCH_WEIGHT = 10;
/** Stands for the operation while the caller is not known: such a request counts as a read. */
const UNKNOWN = { access: 'public' } as const;
const DEVELOPER: Admitted = {
  kind: 'development',
  id: 'development',
  scopes: SCOPES,
  recheck: () => Promise.resolve(),
};

/** Makes the gate of an API. A request without a credential is admitted or refused at once. */
export function createGate(options: GateOptions): Gate {
  return (ctx, operation) => {
    const credential = options.disableAuth ? null : readOne(ctx, operation, options);
    if (credential && operation.access !== 'public') {
      return admit(ctx, operation.access, credential, options);
    }
    if (credential) return welcome(ctx, operation, credential, options);
    countByAddress(ctx, operation, options);
    if (operation.access === 'public') return null;
    if (options.disableAuth) return developer(ctx);
    throw missingCredential(operation.access, operation.basic);
  };
}

/** The caller of a protected operation with DISABLE_AUTH. Throws FORBIDDEN where a page of another site calls it. */
function developer(ctx: Context): Admitted {
  const isHere = isLocalHost(ctx) && (isOwnOrigin(ctx) || isLoopbackOrigin(ctx));
  if (!isHere) {
    throw new AppError('FORBIDDEN', 'Without credentials, no page of another site may ask this');
  }
  ctx.state['caller'] = DEVELOPER;
  return DEVELOPER;
}

function readOne(ctx: Context, { basic }: Guarded, options: GateOptions): Credential | null {
  try {
    return readCredential(ctx.req, basic);
  } catch (error) {
    countByAddress(ctx, UNKNOWN, options);
    throw error;
  }
}

/** Admits a caller with a sufficient level to a protected operation. */
async function admit(
  ctx: Context,
  access: Exclude<Access, 'public'>,
  credential: Credential,
  options: GateOptions,
): Promise<Admitted> {
  const { limits } = options;
  // Checking a key or a service token costs little. But the platform is not asked for an address with too many wrong
  // ones.
  if (credential.kind === 'platform') refuseGuesser(ctx, options);
  const caller = await resolve(ctx, access, credential, options);
  ctx.state['caller'] = caller;
  countCaller(ctx, caller, UNKNOWN, options);
  if (!isAllowed(caller, access)) {
    // Each of these refusals is stored in the audit trail. The limit keeps anybody from filling it.
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

/** Finds the caller of a credential. Where that fails, the request counts as a read of its address. */
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
 * Handles a credential on a public operation. It only decides which limit counts the request. Where it is wrong, or
 * cannot be checked now, the request counts as one without a credential. The answer is the same for everybody, so the
 * handler gets no caller.
 */
async function welcome(
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
 * Counts a request under its caller's name. A caller without a level is counted by address, as a request without a
 * credential is, because anybody can have many accounts of the platform.
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

/** Throws RATE_LIMITED for an address that has sent too many wrong credentials. */
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
