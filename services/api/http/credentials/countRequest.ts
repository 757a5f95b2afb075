import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { AppError } from '../../../../shared/contract/errors.js';
import type { Operation } from '../../../../shared/contract/operation.js';
import type { Asker } from '../../asker.js';
import { setLines } from '../headLines.js';
import type { RateLimiter, Standing } from './rateLimiter.js';
import type { RateLimits } from './rateLimits.js';

/** Where a request has been counted, and as how many. */
export interface Counted {
  limiter: RateLimiter;
  name: string;
  weight: number;
}

/**
 * Counts a request under a name as `weight` requests, and sets the RateLimit headers. Throws RATE_LIMITED beyond the
 * limit.
 */
export function countRequest(ctx: Context, limiter: RateLimiter, name: string, weight = 1): void {
  judge(ctx, limiter, limiter.take(name, weight));
  ctx.state['counted'] = { limiter, name, weight } satisfies Counted;
}

/** Throws RATE_LIMITED when a name has no attempt left; counts nothing. */
export function refuseBlocked(ctx: Context, limiter: RateLimiter, name: string): void {
  const standing = limiter.look(name);
  if (standing.left <= 0) judge(ctx, limiter, { ...standing, left: -1 });
}

/** Under whose limit a request was counted by the gate. Where nothing is limited, the address of its connection. */
export function askerOf(ctx: Context): Asker {
  const counted = ctx.state['counted'] as Counted | undefined;
  if (!counted) return unlimitedAsker(ctx.req);
  return createAsker(counted, (standing) => judge(ctx, counted.limiter, standing));
}

/** Who asks where nothing is limited. */
export function unlimitedAsker({ socket }: IncomingMessage): Asker {
  return { name: socket.remoteAddress ?? '', affords: () => true, charge: () => undefined };
}

/** Who asks, by where a request has been counted. `judge` gets where they stand after a charge. */
export function createAsker(
  { limiter, name, weight }: Counted,
  judge: (standing: Standing) => void,
): Asker {
  // A limit may be lower than the cost of one costly request. Such a request then takes all of it.
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
 * What tells a client where it stands: lines of a head. Their headers are those of draft-ietf-httpapi-ratelimit-headers,
 * from its eighth version on.
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

/** The limit of an address that counts an operation; undefined where none does. */
export function limitOf(
  limits: RateLimits,
  { limitedAs }: Pick<Operation, 'limitedAs'>,
): RateLimiter | undefined {
  if (limitedAs === 'nothing') return undefined;
  return limitedAs === 'search' ? limits.searches : limits.reads;
}
