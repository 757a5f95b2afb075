import type { IncomingMessage } from 'node:http';
import { finished, Transform, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AppError } from '../../../shared/contract/errors.js';
import type { BodyRule, RawBody } from '../../../shared/contract/operation.js';
import { checkedBy } from './query.js';

/** The slowest pace at which a raw body may arrive. Without a limit, slow clients could hold all connections. */
const PACE: Pace = { windowMs: 30_000, bytesPerSecond: 4_096 };
/**
 * The slowest pace at which a JSON body may arrive. One window demands more bytes than the longest JSON body has. So
 * each JSON body has to arrive within the first window.
 */
const JSON_PACE: Pace = { windowMs: 15_000, bytesPerSecond: 4_096 };

/** A pace: at least `bytesPerSecond`, on average, in each window of time. */
export interface Pace {
  /** The length of a window (ms). */
  windowMs: number;
  bytesPerSecond: number;
}

/** Whether a request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Reads the body of a request as its rule says. With a schema, it resolves with the checked JSON once the body has
 * arrived. Without one, it resolves with a RawBody at once. Rejects with PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE and
 * VALIDATION_ERROR. The stream of a RawBody fails with the first and the last of these.
 */
export async function readBody<Body>(
  request: IncomingMessage,
  rule: BodyRule<Body>,
  pace: Pace = rule.schema ? JSON_PACE : PACE,
): Promise<Body | RawBody> {
  const { schema } = rule;
  if (!hasBody(request) && rule.optional && schema) return checkedBy(schema, {});
  const contentType = mediaType(request);
  if (!rule.contentTypes.includes(contentType)) throw wrongType(rule);
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > rule.maxBytes) throw tooLarge(rule);
  refuseEncoding(request, schema || contentType === FORM ? PLAIN : GZIP);
  const stream = bounded(request, rule, pace);
  if (schema) return checkedBy(schema, parse(await buffer(stream)));
  return {
    stream,
    contentType,
    headers: { 'content-type': request.headers['content-type'] ?? '' },
  };
}

const FORM = 'multipart/form-data';
const PLAIN: readonly string[] = ['identity'];
/** Content codings of a raw body. Its reader recognises gzip by the first bytes, also without this header. */
const GZIP: readonly string[] = ['gzip', 'x-gzip', 'identity'];

function refuseEncoding({ headers }: IncomingMessage, known: readonly string[]): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (known.includes(encoding)) return;
  const what =
    known === PLAIN ? 'The body must not be compressed' : 'The body must be plain or gzip';
  const message = `${what}: Content-Encoding "${encoding}" is not supported`;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', message);
}

function parse(bytes: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  } catch {
    // The error of the parser quotes the text, which may hold secrets. The error below does not.
  }
  throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object', {
    details: [{ path: 'body', message: 'body must be a JSON object' }],
  });
}

/**
 * The bytes of a request. The stream fails with PAYLOAD_TOO_LARGE where they are too many, and with VALIDATION_ERROR
 * where the connection ends before all of them have arrived. A connection that is too slow is closed.
 */
function bounded(request: IncomingMessage, rule: BodyRule<unknown>, pace: Pace): Readable {
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > rule.maxBytes) done(tooLarge(rule));
      else done(null, chunk);
    },
  });
  // The stream may fail before anybody reads it. Without this listener, the error would end the process. A later reader
  // still gets the error.
  counter.on('error', () => undefined);
  cutSlow(request, () => bytes, pace);
  // The connection may have ended already, while the credential was checked. Unlike a listener for `close`, `finished`
  // also reports that.
  finished(request, (error) => {
    if (error) counter.destroy(cutShort());
  });
  return request.pipe(counter);
}

/**
 * Closes the connection of a client that sends more slowly than the pace. A window only counts if this process read
 * from the connection during all of it.
 */
function cutSlow(request: IncomingMessage, received: () => number, pace: Pace): void {
  const least = (pace.bytesPerSecond * pace.windowMs) / 1_000;
  let before = 0;
  let wasPaused = false;
  const timer = setInterval(() => {
    if (request.destroyed) clearInterval(timer);
    else if (!wasPaused && received() - before < least) request.destroy();
    before = received();
    wasPaused = request.isPaused();
  }, pace.windowMs).unref();
  request.on('pause', () => (wasPaused = true));
}

function cutShort(): AppError {
  return new AppError('VALIDATION_ERROR', 'The body did not arrive whole');
}

function mediaType({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

function wrongType({ contentTypes }: BodyRule<unknown>): AppError {
  return new AppError(
    'UNSUPPORTED_MEDIA_TYPE',
    `The Content-Type must be ${contentTypes.join(' or ')}`,
  );
}

function tooLarge({ maxBytes }: BodyRule<unknown>): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `The body must be at most ${maxBytes} bytes`);
}
