import type { Context, Middleware } from 'koa';
import { AppError, type ErrorBody } from '../../../shared/contract/errors.js';
import { isAdminPath } from '../../../shared/contract/operation.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { isStoreAway } from '../../../shared/platform/storeErrors.js';
import { StoreAway } from '../stores/storeGuard.js';
import { Unavailable } from '../unavailable.js';
import type { Gate } from './credentials/gate.js';

/** Answers every error with its status, and with a JSON body that has the same shape for all errors. */
export function answerErrors(logger: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      sendError(ctx, reportFailure(logger, ctx.state['requestId'] as string, error));
    }
  };
}

/** Turns any failure into the error to answer with, and logs what must not be shown. */
export function reportFailure(logger: Logger, requestId: string, error: unknown): AppError {
  const shown = toAppError(error);
  const about = { requestId, err: shown.cause ?? error };
  if (shown.code === 'INTERNAL_ERROR') logger.error(about, 'A request failed');
  // That a store is away is logged once, by its watch, and not for each request.
  else if (shown.code === 'UNAVAILABLE' && !(error instanceof StoreAway))
    logger.warn(about, 'A request was answered with 503');
  return shown;
}

/**
 * Answers requests that no route matches: the path is unknown, or does not have the method. Each counts as a read.
 * Under /admin, the caller needs the level read for this answer, except for OPTIONS.
 */
export function answerUnmatched(gate: Gate): Middleware {
  return async (ctx) => {
    const isProtected = isAdminPath(ctx.path) && ctx.method !== 'OPTIONS';
    if (isProtected) ctx.state['private'] = true;
    await gate(ctx, { access: isProtected ? 'read' : 'public' });
    refuseUnmatched(ctx);
  };
}

/** Answers OPTIONS with the methods of the path. Throws NOT_FOUND for an unknown path, else METHOD_NOT_ALLOWED. */
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

/** Turns any failure into the error to answer with. Its message holds no internals; `cause` may. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isStoreAway(error)) {
    return new Unavailable('The service is not available now; try again soon', 2, error);
  }
  return new AppError('INTERNAL_ERROR', 'Something went wrong', { cause: error });
}

function sendError(ctx: Context, error: AppError): void {
  const { headers, body } = errorReply(error, ctx.state['private'] === true);
  ctx.status = error.status;
  ctx.set(headers);
  ctx.body = body;
}

/** The headers and the JSON body for an error. `isPrivate`: whether the operation is protected. */
export function errorReply(
  error: AppError,
  isPrivate: boolean,
): { headers: Record<string, string>; body: string } {
  const body: ErrorBody = { error: error.message, code: error.code };
  if (error.details) body.details = error.details;
  const headers = {
    'Cache-Control': isPrivate ? 'private, no-store' : 'no-store',
    'Content-Type': 'application/json; charset=utf-8',
    ...error.headers,
  };
  return { headers, body: JSON.stringify(body) };
}
