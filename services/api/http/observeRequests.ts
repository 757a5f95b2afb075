import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import { requestLog, type Logger } from '../../../shared/platform/logger.js';
import type { Caller } from '../caller.js';
import type { ApiMetrics } from '../metrics/apiMetrics.js';
import type { AddressReader } from './credentials/addressReader.js';

/** What is logged and measured of a request, besides its response. */
export interface RequestFacts {
  requestId: string;
  /** The path as declared, with the names of its parameters; absent where no route matched. */
  route?: string;
  operationId?: string;
  /** Absent without a credential, and where it was wrong or was not checked. */
  caller?: Caller;
  /** The name of the rate limit that refused the request. */
  limitedBy?: string;
  /** The Content-Length and X-Cache headers, where they cannot be read from the response. */
  sent?: { bytes: number; xCache: string | undefined };
}

/**
 * Logs and measures a request when its response has ended or was cut, or at once where that has happened already. Until
 * then, `facts` may still be filled in. `startedAt` is when the handling of the request began (`performance.now()`).
 */
export type Observe = (
  request: IncomingMessage,
  response: ServerResponse,
  facts: RequestFacts,
  startedAt: number,
) => void;

/**
 * Makes a function that logs each request in one line, and measures it. With `addressOf`, the line also holds the
 * client's address.
 */
export function createObserver(
  logger: Logger,
  metrics: Pick<ApiMetrics, 'observeRequest'>,
  addressOf: AddressReader | undefined,
): Observe {
  const log = requestLog(logger);
  return (request, response, facts, startedAt) => {
    // The address is read now, because it cannot be read any more when the connection is closed.
    const address = addressOf?.(request);
    const tell = (): void => {
      const ms = performance.now() - startedAt;
      const status = response.statusCode;
      const { requestId, route = null, operationId: operation = 'none', limitedBy } = facts;
      const { bytes, xCache } = facts.sent ?? headersOf(response);
      log({
        requestId,
        method: request.method ?? '',
        route,
        status,
        ms: Math.round(ms * 100) / 100,
        bytes,
        caller: facts.caller ? { kind: facts.caller.kind, id: facts.caller.id } : null,
        address,
        cut: !response.writableFinished,
      });
      metrics.observeRequest({ operation, status, limitedBy, seconds: ms / 1_000, xCache });
    };
    if (response.writableFinished) tell();
    else response.once('close', tell);
  };
}

function headersOf(response: ServerResponse): NonNullable<RequestFacts['sent']> {
  return {
    bytes: Number(response.getHeader('Content-Length') ?? 0),
    xCache: response.getHeader('X-Cache') as string | undefined,
  };
}

/** Gives each request an id, and observes it. The facts are those in `ctx.state`. */
export function observeRequests(observe: Observe): Middleware {
  return (ctx, next) => {
    const requestId = requestIdOf(ctx.req);
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    observe(ctx.req, ctx.res, ctx.state, performance.now());
    return next();
  };
}

/** The id of a request: its X-Request-Id header where that has a valid form, else a random UUID. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}
