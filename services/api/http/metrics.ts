import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../../shared/contract/errors.js';
import { metricsAccess } from '../../../shared/platform/metrics.js';
import { BEARER_CHALLENGE, invalidCredential } from '../auth/refusals.js';
import type { ApiMetrics } from '../metrics/apiMetrics.js';

const PATH = '/metrics';

/**
 * GET /metrics in the text format of Prometheus, for programs of this machine or with METRICS_TOKEN. Throws UNAUTHORIZED
 * without a token, and FORBIDDEN for a wrong one.
 */
export function serveMetrics(
  { registry, read }: ApiMetrics,
  token: string | undefined,
): Middleware {
  // The path must match exactly. A proxy that hides /metrics may not hide /metrics/ or /METRICS.
  const router = new Router({ sensitive: true, strict: true });
  router.get(PATH, async (ctx: Context) => {
    Object.assign(ctx.state, { private: true, operationId: 'getMetrics', route: PATH });
    const access = metricsAccess(ctx.req, token);
    if (access === 'wrong') throw invalidCredential('metrics token');
    if (access === 'missing') throw missingToken();
    const text = await read();
    ctx.remove('Access-Control-Allow-Origin');
    ctx.set({ 'Content-Type': registry.contentType, 'Cache-Control': 'private, no-store' });
    ctx.body = text;
  });
  return router.routes() as unknown as Middleware;
}

function missingToken(): AppError {
  return new AppError('UNAUTHORIZED', 'This needs METRICS_TOKEN as a bearer token', {
    headers: { 'WWW-Authenticate': BEARER_CHALLENGE },
  });
}
