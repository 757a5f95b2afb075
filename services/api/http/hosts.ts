import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import { AppError } from '../../../shared/contract/errors.js';

/**
 * Refuses requests without a Host header, or with several. Of two Host headers, a proxy and this service might not use
 * the same one.
 */
export function checkHosts(): Middleware {
  return ({ req }, next) => {
    if (!hasOneHost(req)) {
      throw new AppError('VALIDATION_ERROR', 'A request must have one Host header');
    }
    return next();
  };
}

/** Whether a request has exactly one Host header. A request of HTTP/1.0 may have none. */
export function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let names = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at]!)) names += 1;
  return names === 1 || (names === 0 && httpVersion === '1.0');
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}
