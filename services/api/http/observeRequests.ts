import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import { requestLog, type Logger } from '../../../shared/platform/logger.js';
import type { Caller } from '../caller.js';
import type { ApiMetrics } from '../metrics/apiMetrics.js';
import type { AddressReader } from './credentials/addressReader.js';

/** What is known of a request when its response has ended. */
export interface RequestFacts {
  requestId: string;
  /** The path with the names of its parameters; undefined where no route matched. */
  route?: string;
  operationId?: string;
  /** Null without a credential, and where it was wrong. */
  caller?: Caller | null;
  /** The limit that refused the request. */
  limitedBy?: string;
  /** The Content-Length and X-Cache headers, where they cannot be read from the response. */
  sent?: { bytes: number; xCache: string | undefined };
}

/**
 * Logs and measures a request. Where its response is already written, this happens at once. Otherwise it happens when
 * the response has ended or was cut, and `facts` may be filled in until then. `startedAt` is when handling began
 * (`performance.now()`).
 */
export type Observe = (
  request: IncomingMessage,
  response: ServerResponse,
  facts: RequestFacts,
  startedAt: number,
) => void;

/**
 * Makes a function that observes requests: one log line and one measurement each. The line names the key or user, if
 * known, and the client's address where `addressOf` is given.
 */
export function createObserver(
  logger: Logger,
  metrics: Pick<ApiMetrics, 'observeRequest'>,
  addressOf: AddressReader | undefined,
): Observe {
  const log = requestLog(logger);
  return (request, response, facts, startedAt) => {
    // The address can only be read while the connection is open.
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

/** Gives each request an id, and observes it. Its facts are kept in the context's state. */
export function observeRequests(observe: Observe): Middleware {
  return (ctx, next) => {
    const requestId = requestIdOf(ctx.req);
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    observe(ctx.req, ctx.res, ctx.state, performance.now());
    return next();
  };
}

/** The id of a request. It is the one that the caller sent, if that has a valid form. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}
