import { fstatSync } from 'node:fs';
import {
  destination,
  pino,
  stdSerializers,
  symbols,
  type DestinationStream,
  type Logger,
} from 'pino';
import { stackWithoutCommand, withoutCommand } from './withoutCommand.js';

export type { Logger } from 'pino';

/**
 * A pino logger that writes JSON lines. No line holds a credential. Of a request, its route is logged, but no headers,
 * query or body. Of an error, its message, stack and code are logged.
 */
export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  const serializers = { err: describeError, error: describeError };
  const options = { name, level, serializers };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * The most bytes of one write. Several processes may write to the same output, and their lines must not mix. Linux
 * keeps a write to a pipe in one piece up to PIPE_BUF (4,096 bytes), and a write to a file whatever its size.
 */
const MOST_WRITTEN = { pipe: 4_096, file: 65_536 };

/** How long (ms) a line may wait for others. */
const GATHERED_MS = 20;

/**
 * Standard output for a process that logs a line for each request. Lines are written together: when they fill one write,
 * or 20 ms after the first of them. When the process exits, it writes what is left. A process that is killed loses the
 * lines of its last 20 ms, unless it calls `flush` before.
 */
export function gatheredOutput(): DestinationStream & { flush(): void } {
  const output = destination({ dest: 1, sync: true });
  const most = fstatSync(1).isFile() ? MOST_WRITTEN.file : MOST_WRITTEN.pipe;
  let lines = '';
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    const text = lines;
    lines = '';
    bytes = 0;
    clearTimeout(timer);
    timer = undefined;
    if (text !== '') output.write(text);
  };
  process.on('exit', flush);
  return {
    flush,
    write(line) {
      const length = Buffer.byteLength(line);
      if (bytes + length > most) flush();
      timer ??= setTimeout(flush, GATHERED_MS);
      lines += line;
      bytes += length;
    },
  };
}

/** The fields of a line in the request log, in this order. */
export interface RequestLine {
  /** Holds only letters, digits, dots, hyphens and underscores, as does `method`. */
  requestId: string;
  method: string;
  route: string | null;
  status: number;
  ms: number;
  bytes: number;
  caller: { kind: string; id: string } | null;
  /** Undefined where addresses are not logged. */
  address: string | undefined;
  /** Whether the connection ended before the whole response was sent. */
  cut: boolean;
}

/**
 * Writes lines of requests as `logger.info(line, 'Request')` would, at less cost: values that cannot need escaping are
 * written as they are.
 */
export function requestLog(logger: Logger): (line: RequestLine) => void {
  const parts = logger as unknown as Record<symbol, unknown>;
  const stream = parts[symbols.streamSym] as DestinationStream;
  /** The logger's name, process id and host, as JSON text that begins with a comma. */
  const bindings = parts[symbols.chindingsSym] as string;
  return (line) => {
    if (!logger.isLevelEnabled('info')) return;
    const { requestId, method, route, status, ms, bytes, caller, address, cut } = line;
    stream.write(
      `{"level":30,"time":${Date.now()}${bindings},"requestId":"${requestId}","method":"${method}",` +
        `"route":${JSON.stringify(route)},"status":${status},"ms":${ms},"bytes":${bytes},` +
        `"caller":${caller ? JSON.stringify(caller) : 'null'},` +
        (address === undefined ? '' : `"address":${JSON.stringify(address)},`) +
        `${cut ? '"cut":true,' : ''}"msg":"Request"}\n`,
    );
  };
}

/** Fields of the drivers' errors in addition to the message. */
interface ErrorCodes extends Error {
  code?: unknown;
  codeName?: unknown;
  statusCode?: unknown;
}

/**
 * The part of an error that is logged. Errors of the drivers hold more: a refused Redis command with its arguments
 * (those of AUTH are the password), the options of a failed connection, and a failed request to Elasticsearch with its
 * body and headers. The message of MongoDB's error repeats the command that it refuses, so the command is cut out.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, ...whole } = stdSerializers.err(error);
  const message = withoutCommand(whole.message);
  const stack = stackWithoutCommand({ message: error.message, stack: whole.stack });
  const { code, codeName, statusCode } = error as ErrorCodes;
  const errors = error instanceof AggregateError ? error.errors.map(describeError) : undefined;
  return { type, message, stack, code, codeName, statusCode, errors };
}
