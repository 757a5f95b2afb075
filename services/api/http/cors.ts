import type { Context, Middleware } from 'koa';
import { headLines, setLines } from './headLines.js';

/** The response headers that pages of other origins may read. */
const EXPOSED = [
  'API-Version',
  'Accept-Ranges',
  'Content-Range',
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Cache',
  'X-Cache-TTL',
  'X-Request-Id',
].join(', ');

/** Which origins' pages may read the API (CORS). */
export interface CorsPolicy {
  /** The Vary header of every answer. */
  vary: string;
  /** The CORS headers of an answer to an origin, as lines of a head. Empty where the origin may not read. */
  linesOf: (origin: string | undefined) => string;
}

/** The policy that the setting CORS_ORIGINS names: origins, comma separated, or * for all. */
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

/** Adds the CORS headers to every answer, and answers preflight requests. */
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
      'If-Range',
      'Range',
      'X-API-Key',
      'X-Request-Id',
    ].join(', '),
    'Access-Control-Max-Age': '86400',
  });
}
