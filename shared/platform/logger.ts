import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * What errors of the drivers carry beside their message: a refused Redis command with its arguments (AUTH has the
 * password), and the options of a failed connection. Nothing else that is logged holds a credential: requests are
 * logged by route, without headers, query or body. Wildcards would cost every line a search.
 */
const REDACTED = ['err.command', 'err.options', 'error.command', 'error.options'];

/** A pino logger that writes JSON lines, without what could be a credential. */
export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  // Under any other name than `err` an error would be logged as an empty object.
  const serializers = { error: stdSerializers.err };
  const redact = { paths: REDACTED, censor: '[redacted]' };
  const options = { name, level, serializers, redact };
  return destination ? pino(options, destination) : pino(options);
}
