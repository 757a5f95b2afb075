import type { Middleware } from 'koa';
import { API_VERSION } from '../../../shared/contract/openapi.js';

/** Names and values of headers that every response has. */
export const COMMON_HEADERS: readonly [string, string][] = Object.entries({
  'API-Version': API_VERSION,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
});

/** Sets the headers of every response. A request whose body was not read also has its connection closed. */
export function describeResponses(): Middleware {
  return async (ctx, next) => {
    for (const [name, value] of COMMON_HEADERS) ctx.res.setHeader(name, value);
    await next();
    // Before the connection could serve another request, the rest of the body would have to be read, without any limit
    // of time.
    if (!ctx.req.complete) ctx.set('Connection', 'close');
  };
}
