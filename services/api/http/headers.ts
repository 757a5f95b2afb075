import type { Middleware } from 'koa';
import { API_VERSION } from '../../../shared/contract/openapi.js';

const HEADERS = Object.entries({
  'API-Version': API_VERSION,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
});

/** Headers of every response. */
export function describeResponses(): Middleware {
  return (ctx, next) => {
    for (const [name, value] of HEADERS) ctx.res.setHeader(name, value);
    return next();
  };
}
