import { AppError } from '../../shared/contract/errors.js';

/** 503 UNAVAILABLE, with `retrySeconds` as Retry-After. Only the log shows `cause`. */
export class Unavailable extends AppError {
  constructor(message: string, retrySeconds: number, cause?: unknown) {
    super('UNAVAILABLE', message, { headers: { 'Retry-After': String(retrySeconds) }, cause });
  }
}
