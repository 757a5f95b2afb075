import type { Middleware } from 'koa';
import { InvalidCredential } from '../../auth/refusals.js';
import { refuseBlocked } from './countRequest.js';
import type { GateOptions } from './gate.js';

/**
 * Counts wrong credentials, codes and refresh tokens by the address that sent them. Beyond the limit, a wrong one gets
 * RATE_LIMITED. A right one is still accepted.
 */
export function limitFailed({
  limits,
  addressOf,
}: Pick<GateOptions, 'limits' | 'addressOf'>): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (limits && error instanceof InvalidCredential) {
        const address = addressOf(ctx.req);
        refuseBlocked(ctx, limits.failedCredentials, address);
        limits.failedCredentials.take(address);
      }
      throw error;
    }
  };
}
