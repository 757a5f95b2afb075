import type { Middleware } from 'koa';
import { AppError } from '../../../shared/contract/errors.js';

/** Refuses requests that name no host, or more than one: a proxy and this service could each believe another. */
export function checkHosts(): Middleware {
  return ({ req }, next) => {
    const names = req.rawHeaders.filter((text, at) => at % 2 === 0 && isHost(text));
    const isNeeded = req.httpVersion !== '1.0';
    if (names.length > 1 || (names.length === 0 && isNeeded)) {
      throw new AppError('VALIDATION_ERROR', 'A request must have one Host header');
    }
    return next();
  };
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}
