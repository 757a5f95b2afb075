import type { Context } from 'koa';
import { AppError } from '../../../../shared/contract/errors.js';
import type { RateLimiter, Standing } from './rateLimiter.js';

/** Counts a request under a name, as `weight` requests, and tells where it stands. Throws RATE_LIMITED when it is one too many. */
export function countRequest(ctx: Context, limiter: RateLimiter, name: string, weight = 1): void {
  judge(ctx, limiter, limiter.take(name, weight));
}

/** Throws RATE_LIMITED when a name has no attempt left; counts nothing. */
export function refuseBlocked(ctx: Context, limiter: RateLimiter, name: string): void {
  const standing = limiter.look(name);
  if (standing.left <= 0) judge(ctx, limiter, { ...standing, left: -1 });
}

/** The headers are those of draft-ietf-httpapi-ratelimit-headers, from its eighth version on. */
function judge(ctx: Context, { policy, limit }: RateLimiter, standing: Standing): void {
  const { left, resetSeconds } = standing;
  ctx.res.setHeader('RateLimit-Policy', `"${policy}";q=${limit};w=60`);
  ctx.res.setHeader('RateLimit', `"${policy}";r=${Math.max(0, left)};t=${resetSeconds}`);
  if (left >= 0) return;
  ctx.state['limitedBy'] = policy;
  throw new AppError('RATE_LIMITED', `Too many requests; try again in ${resetSeconds} seconds`, {
    headers: { 'Retry-After': String(resetSeconds) },
  });
}
