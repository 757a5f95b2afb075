import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Logger } from '../../../shared/platform/logger.js';
import type { Caller } from '../caller.js';
import type { AddressReader } from './credentials/addressReader.js';

/** Gives each request an id: the one that the caller sent, if it has a valid form. */
export function identifyRequests(): Middleware {
  return (ctx, next) => {
    const given = ctx.get('X-Request-Id');
    const requestId = /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    return next();
  };
}

/** What is logged of a client beside the caller. */
export interface RequestLogOptions {
  /** Whether the address that a client is counted by is logged. */
  addresses: boolean;
  addressOf: AddressReader;
}

/** Logs one line for each request once its response has ended or was cut. The line names the key or user, if known. */
export function logRequests(
  logger: Logger,
  { addresses, addressOf }: RequestLogOptions,
): Middleware {
  return (ctx, next) => {
    const startedAt = performance.now();
    // The address can only be read while the connection is open.
    const address = addresses ? { address: addressOf(ctx.req) } : {};
    ctx.res.once('close', () => {
      const line = {
        requestId: ctx.state['requestId'] as string,
        method: ctx.method,
        route: (ctx.state['route'] as string | undefined) ?? null,
        status: ctx.res.statusCode,
        ms: Math.round((performance.now() - startedAt) * 100) / 100,
        bytes: Number(ctx.res.getHeader('Content-Length') ?? 0),
        caller: callerOf(ctx),
        ...address,
      };
      if (ctx.res.writableFinished) logger.info(line, 'Request');
      else logger.info({ ...line, cut: true }, 'Request');
    });
    return next();
  };
}

/** The caller by id; null without a credential, and with a wrong one. */
function callerOf(ctx: Context): Pick<Caller, 'kind' | 'id'> | null {
  const caller = ctx.state['caller'] as Caller | null | undefined;
  return caller ? { kind: caller.kind, id: caller.id } : null;
}
