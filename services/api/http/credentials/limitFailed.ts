import type { Middleware } from 'koa';
import { InvalidCredential } from '../../auth/refusals.js';
import { refuseBlocked } from './countRequest.js';
import type { GateOptions } from './gate.js';

/**
 * Counts wrong credentials, codes and refresh tokens by the address that sent them. Beyond the limit, a wrong one is
 * answered with RATE_LIMITED in place of its own error. What is valid never gets here. (The gate refuses platform
 * tokens and codes of such an address before they are checked.)
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
