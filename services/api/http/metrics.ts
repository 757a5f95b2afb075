import type { Middleware } from 'koa';
import { AppError } from '../../../shared/contract/errors.js';
import { metricsAccess } from '../../../shared/platform/metrics.js';
import { invalidCredential } from '../auth/refusals.js';
import type { ApiMetrics } from '../metrics/apiMetrics.js';

const PATH = '/metrics';

/** GET /metrics in the text format of Prometheus, for requests from this machine or with METRICS_TOKEN. */
export function serveMetrics(
  { registry, read }: ApiMetrics,
  token: string | undefined,
): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== PATH || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) {
      await next();
      return;
    }
    Object.assign(ctx.state, { private: true, operationId: 'getMetrics', route: PATH });
    const access = metricsAccess(ctx.req, token);
    if (access === 'wrong') throw invalidCredential('metrics token');
    if (access === 'missing') throw missingToken();
    const text = await read();
    ctx.remove('Access-Control-Allow-Origin');
    ctx.set({ 'Content-Type': registry.contentType, 'Cache-Control': 'private, no-store' });
    ctx.body = text;
  };
}

function missingToken(): AppError {
  return new AppError('UNAUTHORIZED', 'This needs METRICS_TOKEN as a bearer token', {
    headers: { 'WWW-Authenticate': 'Bearer realm="forum-archive"' },
  });
}
