import type { IncomingMessage } from 'node:http';
import { Transform, type Readable } from 'node:stream';
import type Joi from 'joi';
import { AppError } from '../../../shared/contract/errors.js';
import type { BodyRule, RawBody } from '../../../shared/contract/operation.js';
import { checkedBy } from './query.js';

/** Milliseconds that a JSON body may take to arrive whole. */
const JSON_LIMIT_MS = 15_000;
/** Milliseconds that a raw body may stand still. */
const IDLE_LIMIT_MS = 30_000;

/** Whether a request brings a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The body of a request by a rule: checked JSON, or a RawBody. Throws 413, 415, VALIDATION_ERROR. */
export async function readBody<Body>(
  request: IncomingMessage,
  rule: BodyRule<Body>,
): Promise<Body | RawBody> {
  const { schema } = rule;
  if (!hasBody(request) && rule.optional && schema) return checkedBy(schema, {});
  const contentType = mediaType(request);
  if (!rule.contentTypes.includes(contentType)) throw wrongType(rule);
  const length = Number(request.headers['content-length'] ?? NaN);
  if (length > rule.maxBytes) throw tooLarge(rule);
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? null;
  if (schema) return readJson(request, rule, schema, encoding);
  return {
    stream: bounded(request, rule),
    contentType,
    length: Number.isNaN(length) ? null : length,
    encoding,
    headers: { 'content-type': request.headers['content-type'] ?? '' },
  };
}

async function readJson<Body>(
  request: IncomingMessage,
  rule: BodyRule<Body>,
  schema: Joi.ObjectSchema<Body>,
  encoding: string | null,
): Promise<Body> {
  if (encoding !== null && encoding !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed');
  }
  return checkedBy(schema, parse(await collect(request, rule)));
}

function parse(bytes: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  } catch {
    // Said below, without quoting the text, which may hold secrets.
  }
  throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object', {
    details: [{ path: 'body', message: 'body must be a JSON object' }],
  });
}

async function collect(request: IncomingMessage, rule: BodyRule<unknown>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => request.destroy(), JSON_LIMIT_MS);
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      bytes += (piece as Buffer).length;
      if (bytes > rule.maxBytes) throw tooLarge(rule);
      pieces.push(piece as Buffer);
    }
  } catch (error) {
    throw error instanceof AppError ? error : cutShort();
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(pieces);
}

/** The bytes of a request, ended by an error where they are too many, or stop coming. */
function bounded(request: IncomingMessage, rule: BodyRule<unknown>): Readable {
  let bytes = 0;
  const counter = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      if (bytes > rule.maxBytes) done(tooLarge(rule));
      else done(null, piece);
    },
  });
  // It may fail before its reader listens, who is told then all the same.
  counter.on('error', () => undefined);
  const usual = request.socket.timeout ?? 0;
  request.setTimeout(IDLE_LIMIT_MS, () => request.destroy());
  request.on('end', () => request.setTimeout(usual));
  request.on('error', () => counter.destroy(cutShort()));
  request.on('close', () => {
    if (!request.complete) counter.destroy(cutShort());
  });
  return request.pipe(counter);
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
