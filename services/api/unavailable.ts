import { AppError } from '../../shared/contract/errors.js';

/** 503 UNAVAILABLE. The caller may try again after so many seconds. */
export class Unavailable extends AppError {
  constructor(message: string, retrySeconds: number, cause?: unknown) {
    super('UNAVAILABLE', message, { headers: { 'Retry-After': String(retrySeconds) }, cause });
  }
}
