/** The one shape of all errors. */
import Joi from 'joi';
import { listOf, oneOf, text } from './fields.js';

/** HTTP status of each error code. */
export const ERROR_STATUS = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  TOKEN_EXPIRED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
  NOT_CONFIGURED: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** One problem of a request: `path` names the parameter. */
export interface ErrorDetail {
  path: string;
  message: string;
}

export interface ErrorBody {
  error: string;
  code: ErrorCode;
  details?: ErrorDetail[];
}

/** Checks an ErrorBody. */
export const errorBodySchema = Joi.object<ErrorBody, true>({
  error: text('What went wrong, for people'),
  code: oneOf(Object.keys(ERROR_STATUS) as ErrorCode[], 'What went wrong, for programs'),
  details: listOf(
    Joi.object<ErrorDetail, true>({
      path: text('Name of the parameter'),
      message: text('What is wrong with it'),
    }),
    'Every problem of the request',
  ).optional(),
});

/** An error that may be shown to the caller. `message` must hold no internals. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: ErrorDetail[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? {};
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}
