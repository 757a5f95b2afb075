import type { Queue } from 'bullmq';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../../shared/contract/errors.js';
import { queueAway } from '../admin/withQueue.js';
import { refusedPassword } from '../auth/refusals.js';
import type { Gate } from './credentials/gate.js';
import { refuseUnmatched } from './errors.js';
import { mountBoard } from './mountBoard.js';
import { isOwnOrigin } from './origin.js';

const MOUNTED = '/admin/queues';

/**
 * The Content-Security-Policy of the dashboard. It may only load scripts, styles and data of this service. Inline
 * styles are allowed, because its charts and menus need them.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const GUARDED = { access: 'admin', basic: true } as const;

/**
 * The dashboard of the queue under /admin/queues, for callers with the level admin. They may retry, promote and clean
 * jobs, and pause and resume the queue.
 */
export function queueDashboard(queue: Queue, gate: Gate): Middleware {
  const board = mountBoard(queue, MOUNTED);
  return async (ctx, next) => {
    if (ctx.path !== MOUNTED && !ctx.path.startsWith(`${MOUNTED}/`)) {
      await next();
      return;
    }
    Object.assign(ctx.state, { private: true, operationId: 'queueDashboard', route: MOUNTED });
    ctx.state['given'] = { path: ctx.path };
    await admit(ctx, gate);
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      refuseOtherSites(ctx);
    }
    ctx.set({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'private, no-store' });
    try {
      // A path without a route of the board is refused here, and not passed on: the caller may have been admitted by a
      // password, which must not count anywhere else.
      await board(ctx, () => {
        refuseUnmatched(ctx);
        return Promise.resolve();
      });
    } catch (error) {
      throw boardFailure(error);
    }
  };
}

/**
 * Admits the caller, or throws the error of the gate. A password (HTTP Basic) is refused in such a way that the browser
 * asks for another one.
 */
async function admit(ctx: Context, gate: Gate): Promise<void> {
  try {
    await gate(ctx, GUARDED);
  } catch (error) {
    const isPassword = /^basic /i.test(ctx.get('Authorization'));
    throw isPassword && error instanceof AppError ? refusedPassword(error) : error;
  }
}

/**
 * The error to answer with when the board throws. The board itself parses values of the query, and throws SyntaxError
 * or URIError for a malformed one. All else that it does is to call the queue. So any other error means that the queue
 * is away.
 */
function boardFailure(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (cause instanceof SyntaxError || cause instanceof URIError) {
    return new AppError('VALIDATION_ERROR', 'The query could not be read', { cause });
  }
  return queueAway(cause);
}

/**
 * Refuses requests that come from pages of other sites. A browser that knows the password sends it with these as well.
 * The headers Origin and Sec-Fetch-Site show where a request comes from.
 */
function refuseOtherSites(ctx: Context): void {
  const site = ctx.get('Sec-Fetch-Site');
  if (isOwnOrigin(ctx) && (site === '' || site === 'same-origin')) return;
  throw new AppError('FORBIDDEN', 'Another site must not change the queue');
}
