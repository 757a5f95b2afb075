import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * What errors of the drivers carry beside their message: a refused Redis command with its arguments (AUTH has the
 * password), and the options of a failed connection. Nothing else that is logged holds a credential: requests are
 * logged by route, without headers, query or body. Wildcards would cost every line a search.
 */
const REDACTED = ['err.command', 'err.options', 'error.command', 'error.options'];

/** A pino logger that writes JSON lines, without what could be a credential. */
export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  const options = { name, level, redact: { paths: REDACTED, censor: '[redacted]' } };
  return destination ? pino(options, destination) : pino(options);
}
