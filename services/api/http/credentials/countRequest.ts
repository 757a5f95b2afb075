import type { Context } from 'koa';
import { AppError } from '../../../../shared/contract/errors.js';
import type { Operation } from '../../../../shared/contract/operation.js';
import type { Asker } from '../../asker.js';
import { setLines } from '../headLines.js';
import type { RateLimiter, Standing } from './rateLimiter.js';
import type { RateLimits } from './rateLimits.js';

/** Where a request was counted, under which name, and as how many requests. */
export interface Counted {
  limiter: RateLimiter;
  name: string;
  weight: number;
}

/**
 * Counts a request as `weight` requests under a name, and sets the RateLimit headers. Throws RATE_LIMITED beyond the
 * limit.
 */
export function countRequest(ctx: Context, limiter: RateLimiter, name: string, weight = 1): void {
  judge(ctx, limiter, limiter.take(name, weight));
  ctx.state['counted'] = { limiter, name, weight } satisfies Counted;
}

/** Throws RATE_LIMITED where nothing is left of a name's limit. Counts nothing. */
export function refuseBlocked(ctx: Context, limiter: RateLimiter, name: string): void {
  const standing = limiter.look(name);
  if (standing.left <= 0) judge(ctx, limiter, { ...standing, left: -1 });
}

/** The asker of a request that the gate has admitted. Where the gate has not counted it, nothing is limited. */
export function askerOf(ctx: Context): Asker {
  const counted = ctx.state['counted'] as Counted | undefined;
  if (!counted) return unlimitedAsker(ctx.state['asker'] as string);
  return createAsker(counted, (standing) => judge(ctx, counted.limiter, standing));
}

/** The asker of a request that is not counted. `name` is the one under which it would have been counted. */
export function unlimitedAsker(name: string): Asker {
  return { name, affords: () => true, charge: () => undefined };
}

/**
 * Makes the asker of a counted request. `judge` is called after each further charge. It throws RATE_LIMITED if need be.
 */
export function createAsker(
  { limiter, name, weight }: Counted,
  judge: (standing: Standing) => void,
): Asker {
  // A single request may cost more than the whole limit allows. Then it costs all of the limit, so that it can be made.
  const costOf = (more: number) => Math.min(more * weight, limiter.limit - weight);
  return {
    name,
    affords: (more) => limiter.look(name).left >= costOf(more),
    charge: (more) => judge(limiter.take(name, costOf(more))),
  };
}

/** Sets the RateLimit headers. Throws RATE_LIMITED where the limit is exceeded. */
function judge(ctx: Context, limiter: RateLimiter, standing: Standing): void {
  setLines(ctx.res, standingLines(limiter, standing));
  if (standing.left >= 0) return;
  ctx.state['limitedBy'] = limiter.policy;
  throw rateLimited(standing);
}

/** 429 RATE_LIMITED, with Retry-After. */
export function rateLimited({ resetSeconds }: Standing): AppError {
  return new AppError('RATE_LIMITED', `Too many requests; try again in ${resetSeconds} seconds`, {
    headers: { 'Retry-After': String(resetSeconds) },
  });
}

/**
 * The headers RateLimit-Policy and RateLimit, as lines of a head. They have the form of
 * draft-ietf-httpapi-ratelimit-headers since its version 08.
 */
export function standingLines(
  { policy, limit }: RateLimiter,
  { left, resetSeconds }: Standing,
): string {
  return (
    `RateLimit-Policy: "${policy}";q=${limit};w=60\r\n` +
    `RateLimit: "${policy}";r=${Math.max(0, left)};t=${resetSeconds}\r\n`
  );
}

/** The limit of addresses that counts the requests of an operation; undefined where they are not counted. */
export function limitOf(
  limits: RateLimits,
  { limitedAs }: Pick<Operation, 'limitedAs'>,
): RateLimiter | undefined {
  if (limitedAs === 'nothing') return undefined;
  return limitedAs === 'search' ? limits.searches : limits.reads;
}
