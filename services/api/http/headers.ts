import type { Middleware } from 'koa';
import { API_VERSION } from '../../../shared/contract/openapi.js';

/** The headers of every response, as pairs of name and value. */
export const COMMON_HEADERS: readonly [string, string][] = Object.entries({
  'API-Version': API_VERSION,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
});

/** Sets COMMON_HEADERS. Where the body of a request was not read to its end, it also has the connection closed. */
export function describeResponses(): Middleware {
  return async (ctx, next) => {
    for (const [name, value] of COMMON_HEADERS) ctx.res.setHeader(name, value);
    await next();
    // Otherwise Node would first read the rest of the body, without any limit of time, before the next request of the
    // connection.
    if (!ctx.req.complete) ctx.set('Connection', 'close');
  };
}
