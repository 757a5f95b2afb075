import type { Middleware } from 'koa';
import { API_VERSION } from '../../../shared/contract/openapi.js';
import { hasBody } from './body.js';

/** Names and values of the headers of every response. */
export const COMMON_HEADERS: readonly [string, string][] = Object.entries({
  'API-Version': API_VERSION,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
});

/** Headers of every response. A body that nobody has read ends its connection. */
export function describeResponses(): Middleware {
  return async (ctx, next) => {
    for (const [name, value] of COMMON_HEADERS) ctx.res.setHeader(name, value);
    await next();
    // The rest of the body would have to be read before the connection could serve another request, and no limit of
    // time would hold for it.
    if (hasBody(ctx.req) && !ctx.req.complete) ctx.set('Connection', 'close');
  };
}
