import type { Context, Middleware } from 'koa';
import { AppError, type ErrorBody } from '../../../shared/contract/errors.js';
import { isAdminPath } from '../../../shared/contract/operation.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { isStoreAway } from '../../../shared/platform/storeErrors.js';
import { StoreAway } from '../stores/storeGuard.js';
import { hasBody } from './body.js';
import type { Gate } from './credentials/gate.js';

/** Answers every failure in the one error shape; what must not be shown goes to the log. */
export function answerErrors(logger: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const shown = toAppError(error);
      const about = { requestId: ctx.state['requestId'] as string, err: shown.cause ?? error };
      if (shown.code === 'INTERNAL_ERROR') logger.error(about, 'A request failed');
      // That a store is away is logged once, by who watches it.
      else if (shown.code === 'UNAVAILABLE' && !(error instanceof StoreAway))
        logger.warn(about, 'Something that this needs did not answer');
      sendError(ctx, shown);
    }
  };
}

/**
 * Answers what no route has: an unknown path, or a known path with a method it does not have. It counts as a read; under
 * /admin only callers of the level read are told, but for the methods of a path.
 */
export function answerUnmatched(gate: Gate): Middleware {
  return async (ctx) => {
    const isProtected = isAdminPath(ctx.path) && ctx.method !== 'OPTIONS';
    if (isProtected) ctx.state['private'] = true;
    await gate(ctx, { access: isProtected ? 'read' : 'public' });
    refuseUnmatched(ctx);
  };
}

/** Tells the methods of a path that a router matched. Throws METHOD_NOT_ALLOWED; NOT_FOUND where it matched none. */
export function refuseUnmatched(ctx: Context): void {
  const matched = ctx['matched'] as { methods: string[] }[] | undefined;
  const methods = new Set(matched?.flatMap((layer) => layer.methods));
  if (methods.size === 0) throw new AppError('NOT_FOUND', 'No such path');
  const allow = [...methods.add('OPTIONS')].sort().join(', ');
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204;
    ctx.set('Allow', allow);
    return;
  }
  throw new AppError('METHOD_NOT_ALLOWED', 'This path does not have that method', {
    headers: { Allow: allow },
  });
}

/** The error to show for any failure: none of its internals. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isStoreAway(error)) {
    return new AppError('UNAVAILABLE', 'The service is not available now; try again soon', {
      headers: { 'Retry-After': '2' },
      cause: error,
    });
  }
  return new AppError('INTERNAL_ERROR', 'Something went wrong', { cause: error });
}

function sendError(ctx: Context, error: AppError): void {
  const body: ErrorBody = { error: error.message, code: error.code };
  if (error.details) body.details = error.details;
  for (const name of ['ETag', 'Content-Encoding', 'Content-Length']) ctx.remove(name);
  // What is still coming would have to be read to its end before the connection could serve again.
  if (hasBody(ctx.req) && !ctx.req.complete) ctx.set('Connection', 'close');
  ctx.status = error.status;
  ctx.set({
    'Cache-Control': ctx.state['private'] ? 'private, no-store' : 'no-store',
    'Content-Type': 'application/json; charset=utf-8',
    ...error.headers,
  });
  ctx.body = JSON.stringify(body);
}
