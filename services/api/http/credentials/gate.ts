import type { Context } from 'koa';
import { SCOPES } from '../../../../shared/contract/auth.js';
import { AppError } from '../../../../shared/contract/errors.js';
import type { Operation } from '../../../../shared/contract/operation.js';
import type { Caller } from '../../caller.js';

/** Lets a request pass to an operation and tells who asks, or throws what to answer instead. */
export type Gate = (
  ctx: Context,
  operation: Pick<Operation, 'access' | 'limitedAs'>,
) => Caller | null | Promise<Caller | null>;

const DEVELOPER: Caller = { kind: 'development', id: 'development', scopes: SCOPES };

/** The gate of an API. `disableAuth` lets everyone do everything. */
export function createGate({ disableAuth }: { disableAuth: boolean }): Gate {
  return (_ctx, { access }) => {
    if (disableAuth) return DEVELOPER;
    if (access === 'public') return null;
    throw new AppError('UNAUTHORIZED', 'This needs an X-API-Key or a bearer token');
  };
}
