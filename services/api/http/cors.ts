import type { Context, Middleware } from 'koa';
import { headLines, setLines } from './headLines.js';

const EXPOSED = [
  'API-Version',
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Cache',
  'X-Cache-TTL',
  'X-Request-Id',
].join(', ');

/** The origins whose pages may read the API. */
export interface CorsPolicy {
  /** The Vary header of a read. */
  vary: string;
  /** The header lines of an answer to an origin; none where it may not read. */
  linesOf: (origin: string | undefined) => string;
}

/** The policy of CORS_ORIGINS: origins, comma separated, or * for all. */
export function corsPolicy(setting: string): CorsPolicy {
  const origins = new Set(setting.split(',').map((origin) => origin.trim()));
  const linesFor = (origin: string) =>
    headLines(['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED]);
  if (origins.has('*')) {
    const everyone = linesFor('*');
    return { vary: 'Accept-Encoding', linesOf: () => everyone };
  }
  return {
    vary: 'Origin, Accept-Encoding',
    linesOf: (origin) => (origin && origins.has(origin) ? linesFor(origin) : ''),
  };
}

/** Lets pages of the policy's origins read every answer. */
export function allowOrigins({ vary, linesOf }: CorsPolicy): Middleware {
  return (ctx, next) => {
    ctx.set('Vary', vary);
    const lines = linesOf(ctx.req.headers.origin);
    setLines(ctx.res, lines);
    if (lines !== '' && isPreflight(ctx)) {
      answerPreflight(ctx);
      return;
    }
    return next();
  };
}

function isPreflight(ctx: Context): boolean {
  return ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '';
}

function answerPreflight(ctx: Context): void {
  ctx.status = 204;
  ctx.set({
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': [
      'Authorization',
      'Content-Encoding',
      'Content-Type',
      'If-None-Match',
      'X-API-Key',
      'X-Request-Id',
    ].join(', '),
    'Access-Control-Max-Age': '86400',
  });
}
