import type { Context } from 'koa';
import { InvalidCredential } from '../../auth/refusals.js';
import { clientAddress } from './clientAddress.js';
import type { GateOptions } from './gate.js';

/** Counts a failure by the address it came from where a credential was wrong; codes and refresh tokens are ones too. */
export function countFailed({
  limits,
  trustProxy,
}: Pick<GateOptions, 'limits' | 'trustProxy'>): (ctx: Context, error: unknown) => void {
  return (ctx, error) => {
    if (limits && error instanceof InvalidCredential) {
      limits.failedCredentials.take(clientAddress(ctx.req, trustProxy));
    }
  };
}
