import type { IncomingMessage } from 'node:http';
import { Transform, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AppError } from '../../../shared/contract/errors.js';
import type { BodyRule, RawBody } from '../../../shared/contract/operation.js';
import { checkedBy } from './query.js';

/** The slowest pace of a raw body. Without a limit, many slow clients could hold all connections. */
const PACE: Pace = { windowMs: 30_000, bytesPerSecond: 4_096 };
/**
 * The slowest pace of a JSON body. The longest body is shorter than what one window demands, so it has to arrive within
 * the first window.
 */
const JSON_PACE: Pace = { windowMs: 15_000, bytesPerSecond: 4_096 };

/** At least so many bytes a second, on average, in each window of time. */
export interface Pace {
  windowMs: number;
  bytesPerSecond: number;
}

/** Whether a request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Reads the body of a request by its rule: checked JSON, or a RawBody. Throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
 * and VALIDATION_ERROR.
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
/** Content codings of a raw body. It may be gzip without the header, too: its reader looks at the first bytes. */
const GZIP: readonly string[] = ['gzip', 'x-gzip', 'identity'];

function refuseEncoding({ headers }: IncomingMessage, known: readonly string[]): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (known.includes(encoding)) return;
  const what = known === PLAIN ? 'The body must not be compressed' : 'The body may be gzip at most';
  const message = `${what}: Content-Encoding "${encoding}" is not taken`;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', message);
}

function parse(bytes: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  } catch {
    // The error below does not quote the text, which may hold secrets.
  }
  throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object', {
    details: [{ path: 'body', message: 'body must be a JSON object' }],
  });
}

/** The bytes of a request. The stream fails where they are too many, stop arriving, or arrive too slowly. */
function bounded(request: IncomingMessage, rule: BodyRule<unknown>, pace: Pace): Readable {
  let bytes = 0;
  const counter = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      if (bytes > rule.maxBytes) done(tooLarge(rule));
      else done(null, piece);
    },
  });
  // It may fail before its reader listens. The reader gets that error when it begins to read.
  counter.on('error', () => undefined);
  cutSlow(request, () => bytes, pace);
  request.on('close', () => {
    if (!request.complete) counter.destroy(cutShort());
  });
  return request.pipe(counter);
}

/** Disconnects a client that is slower than the pace. A window counts only if this side read all the time. */
function cutSlow(request: IncomingMessage, received: () => number, pace: Pace): void {
  const least = (pace.bytesPerSecond * pace.windowMs) / 1_000;
  let before = 0;
  let isHeld = false;
  const timer = setInterval(() => {
    if (request.destroyed) clearInterval(timer);
    else if (!isHeld && received() - before < least) request.destroy();
    before = received();
    isHeld = request.isPaused();
  }, pace.windowMs).unref();
  request.on('pause', () => (isHeld = true));
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
