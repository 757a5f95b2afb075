import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * A pino logger that writes JSON lines. No line holds a credential: of a request its route is logged, without headers,
 * query or body, and of an error its message, stack and code.
 */
export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  const serializers = { err: describeError, error: describeError };
  const options = { name, level, serializers };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * The part of an error that is logged. The errors of the drivers hold more: a refused Redis command with its arguments
 * (those of AUTH are the password), the options of a failed connection, and a failed request to Elasticsearch with its
 * body and headers.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = stdSerializers.err(error);
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  const errors = error instanceof AggregateError ? error.errors.map(describeError) : undefined;
  return { type, message, stack, code, statusCode, errors };
}
