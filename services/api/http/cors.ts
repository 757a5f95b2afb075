import type { Context, Middleware } from 'koa';

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

/** Which origins' pages may read. */
export interface CorsPolicy {
  /** The Vary header of a read. */
  vary: string;
  /** Names and values in turn of the headers of an answer to an origin; none for one that may not read. */
  headersOf: (origin: string | undefined) => readonly string[];
}

/** The policy of CORS_ORIGINS: origins, comma separated, or * for all. */
export function corsPolicy(setting: string): CorsPolicy {
  const origins = new Set(setting.split(',').map((origin) => origin.trim()));
  const headersFor = (origin: string) => [
    ...['Access-Control-Allow-Origin', origin],
    ...['Access-Control-Expose-Headers', EXPOSED],
  ];
  if (origins.has('*')) {
    const everyone = headersFor('*');
    return { vary: 'Accept-Encoding', headersOf: () => everyone };
  }
  return {
    vary: 'Origin, Accept-Encoding',
    headersOf: (origin) => (origin && origins.has(origin) ? headersFor(origin) : []),
  };
}

/** Lets pages of the policy's origins read every answer. */
export function allowOrigins({ vary, headersOf }: CorsPolicy): Middleware {
  return (ctx, next) => {
    ctx.set('Vary', vary);
    const headers = headersOf(ctx.req.headers.origin);
    for (let at = 0; at < headers.length; at += 2) ctx.set(headers[at]!, headers[at + 1]!);
    if (headers.length > 0 && isPreflight(ctx)) {
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
