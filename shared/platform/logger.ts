import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

/** A pino logger that writes JSON lines, credentials redacted wherever they may stand. */
export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    name,
    level,
    redact: {
      paths: [
        '*.authorization',
        '*.cookie',
        '*["x-api-key"]',
        '*.password',
        '*.secret',
        '*.token',
        '*.refresh_token',
        '*.access_token',
        '*.code',
      ],
      censor: '[redacted]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}
