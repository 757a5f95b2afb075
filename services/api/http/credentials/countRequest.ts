import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { AppError } from '../../../../shared/contract/errors.js';
import type { Operation } from '../../../../shared/contract/operation.js';
import type { Asker } from '../../asker.js';
import { setLines } from '../headLines.js';
import type { RateLimiter, Standing } from './rateLimiter.js';
import type { RateLimits } from './rateLimits.js';

/** Where a request was counted, and as how many requests. */
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

/** Throws RATE_LIMITED where a name has no attempt left. It counts nothing. */
export function refuseBlocked(ctx: Context, limiter: RateLimiter, name: string): void {
  const standing = limiter.look(name);
  if (standing.left <= 0) judge(ctx, limiter, { ...standing, left: -1 });
}

/**
 * The name under which the gate has counted a request. Where nothing is limited, it is the address of the connection.
 */
export function askerOf(ctx: Context): Asker {
  const counted = ctx.state['counted'] as Counted | undefined;
  if (!counted) return unlimitedAsker(ctx.req);
  return createAsker(counted, (standing) => judge(ctx, counted.limiter, standing));
}

/** The asker of a request where nothing is limited. */
export function unlimitedAsker({ socket }: IncomingMessage): Asker {
  return { name: socket.remoteAddress ?? '', affords: () => true, charge: () => undefined };
}

/**
 * Makes the asker of a request from where it was counted. `judge` is called with the standing after a further charge.
 */
export function createAsker(
  { limiter, name, weight }: Counted,
  judge: (standing: Standing) => void,
): Asker {
  // One costly request may cost more than the whole limit. Then it takes all that the limit has.
  const costOf = (more: number) => Math.min(more * weight, limiter.limit - weight);
  return {
    name,
    affords: (more) => limiter.look(name).left >= costOf(more),
    charge: (more) => judge(limiter.take(name, costOf(more))),
  };
}

function judge(ctx: Context, limiter: RateLimiter, standing: Standing): void {
  setLines(ctx.res, standingLines(limiter, standing));
  if (standing.left >= 0) return;
  ctx.state['limitedBy'] = limiter.policy;
  throw rateLimited(standing);
}

/** 429 RATE_LIMITED. */
export function rateLimited({ resetSeconds }: Standing): AppError {
  return new AppError('RATE_LIMITED', `Too many requests; try again in ${resetSeconds} seconds`, {
    headers: { 'Retry-After': String(resetSeconds) },
  });
}

/**
 * Header lines that tell a client where it stands, as draft-ietf-httpapi-ratelimit-headers defines them from its
 * version 08 on.
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

/** The limit of the caller's address that an operation counts towards; undefined where it counts towards none. */
export function limitOf(
  limits: RateLimits,
  { limitedAs }: Pick<Operation, 'limitedAs'>,
): RateLimiter | undefined {
  if (limitedAs === 'nothing') return undefined;
  return limitedAs === 'search' ? limits.searches : limits.reads;
}
