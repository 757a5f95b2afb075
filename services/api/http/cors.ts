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

/** Lets pages of the named origins (comma separated, or *) read every answer. */
export function allowOrigins(setting: string): Middleware {
  const origins = new Set(setting.split(',').map((origin) => origin.trim()));
  const everyone = origins.has('*');
  return (ctx, next) => {
    const origin = ctx.get('Origin');
    if (!everyone) ctx.vary('Origin');
    if (everyone || origins.has(origin)) {
      ctx.set('Access-Control-Allow-Origin', everyone ? '*' : origin);
      ctx.set('Access-Control-Expose-Headers', EXPOSED);
      if (isPreflight(ctx)) {
        answerPreflight(ctx);
        return;
      }
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
