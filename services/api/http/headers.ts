import type { Middleware } from 'koa';
import { API_VERSION } from '../../../shared/contract/openapi.js';

/** Names and values of the headers of every response. */
export const COMMON_HEADERS: readonly [string, string][] = Object.entries({
  'API-Version': API_VERSION,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
});

/** Headers of every response. */
export function describeResponses(): Middleware {
  return (ctx, next) => {
    for (const [name, value] of COMMON_HEADERS) ctx.res.setHeader(name, value);
    return next();
  };
}
