import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * A pino logger that writes JSON lines. No credential is in one: requests are logged by route, without headers, query
 * or body, and errors by what they say.
 */
export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  const serializers = { err: describeError, error: describeError };
  const options = { name, level, serializers };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * What of an error is logged. The drivers hang much more on theirs: a refused Redis command with its arguments (AUTH
 * has the password), the options of a failed connection, a failed request to Elasticsearch with its body and, on the
 * sockets of its agent, every header.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = stdSerializers.err(error);
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  const errors = error instanceof AggregateError ? error.errors.map(describeError) : undefined;
  return { type, message, stack, code, statusCode, errors };
}
