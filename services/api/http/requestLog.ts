import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from '../../../shared/platform/logger.js';

/** Gives each request an id: the caller's own where it is a sane one. */
export function identifyRequests(): Middleware {
  return (ctx, next) => {
    const given = ctx.get('X-Request-Id');
    const requestId = /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    return next();
  };
}

/** Logs one line a request when its response has ended, whole or cut. */
export function logRequests(logger: Logger): Middleware {
  return (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => {
      const line = {
        requestId: ctx.state['requestId'] as string,
        method: ctx.method,
        route: (ctx.state['route'] as string | undefined) ?? null,
        status: ctx.res.statusCode,
        ms: Math.round((performance.now() - startedAt) * 100) / 100,
        bytes: Number(ctx.res.getHeader('Content-Length') ?? 0),
      };
      if (ctx.res.writableFinished) logger.info(line, 'Request');
      else logger.info({ ...line, cut: true }, 'Request');
    });
    return next();
  };
}
