import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { AppError } from '../../../shared/contract/errors.js';
import type { CacheState } from '../answer.js';
import type { Asker } from '../asker.js';
import type { CorsPolicy } from './cors.js';
import type { AddressReader } from './credentials/addressReader.js';
import {
  createAsker,
  rateLimited,
  standingLines,
  unlimitedAsker,
} from './credentials/countRequest.js';
import type { RateLimiter, Standing } from './credentials/rateLimiter.js';
import { sendStream } from './downloads.js';
import { noneMatchNames } from './entityTag.js';
import { errorReply } from './errors.js';
import type { MakeBody } from './forms.js';
import { headLines, namesAndValues } from './headLines.js';
import { COMMON_HEADERS } from './headers.js';
import type { RequestFacts } from './observeRequests.js';
import type { PreparedResponse } from './preparedResponse.js';
import type { ReadyAnswer, ReadyForm, SentForm } from './readyAnswers.js';
import { cacheLines } from './send.js';

/** A read that is answered without Koa, and its response. */
export interface Exchange {
  request: IncomingMessage;
  response: PreparedResponse;
  /** What is logged and measured of the read. */
  facts: RequestFacts;
  /** Where the read was counted, and what is left of the limit; undefined where it was not counted. */
  counted: { limiter: RateLimiter; name: string; standing: Standing } | undefined;
  /** Reads the address under which the read would have been counted. */
  addressOf: AddressReader;
  cors: CorsPolicy;
}

/** The asker of an exchange. What it is charged later shows in the RateLimit headers of the response. */
export function askerOf(exchange: Exchange): Asker {
  const { request, facts, counted, addressOf } = exchange;
  if (!counted) return unlimitedAsker(addressOf(request));
  const { limiter, name } = counted;
  return createAsker({ limiter, name, weight: 1 }, (standing) => {
    counted.standing = standing;
    if (standing.left >= 0) return;
    facts.limitedBy = counted.limiter.policy;
    throw rateLimited(standing);
  });
}

/** Sends a ready answer, or 304 where the client already has it. */
export function sendReady(
  exchange: Exchange,
  { form, body, lines, notModifiedLines }: ReadyAnswer,
): void {
  if (isNotModified(exchange.request, form)) sendNotModified(exchange, form, notModifiedLines);
  else sendWhole(exchange, form, lines, body);
}

function sendNotModified(exchange: Exchange, { cached }: ReadyForm, lines: string): void {
  exchange.facts.sent = { bytes: 0, xCache: cached?.state };
  exchange.response.endPrepared(304, lines + ownLines(exchange, cached), '');
}

/** Sends a form with its body. `lines` are its headers, as lines of a head. */
function sendWhole(
  exchange: Exchange,
  { status, length = 0, cached }: ReadyForm,
  lines: string,
  body: Buffer | string | Readable,
): void {
  const { response, facts } = exchange;
  facts.sent = { bytes: length, xCache: cached?.state };
  const all = lines + ownLines(exchange, cached);
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    response.endPrepared(status, all, body);
    return;
  }
  response.writeHead(status, namesAndValues(all));
  sendStream(response, body);
}

/**
 * Sends a form, or 304 where the client already has it. Returns a promise where the body has to be made first. It
 * rejects where that fails, and then nothing was sent.
 */
export function makeAndSend(exchange: Exchange, form: SentForm): Promise<void> | undefined {
  const { request } = exchange;
  const { body } = form;
  if (isNotModified(request, form)) sendNotModified(exchange, form, headLines(form.notModified));
  else if (typeof body !== 'function') sendWhole(exchange, form, headLines(form.headers), body);
  else if (request.method === 'HEAD') sendWhole(exchange, form, headLines(form.headers), '');
  else return sendMade(exchange, form, body);
  return undefined;
}

async function sendMade(exchange: Exchange, form: SentForm, make: MakeBody): Promise<void> {
  const body = await make(askerOf(exchange).name);
  sendWhole(exchange, form, headLines(form.headers), body);
}

/** Sends an error. */
export function sendError(exchange: Exchange, error: AppError): void {
  const { response, facts, cors } = exchange;
  const { headers, body } = errorReply(error, false);
  const bytes = Buffer.from(body);
  facts.sent = { bytes: bytes.length, xCache: undefined };
  const lines = headLines([
    ...COMMON_HEADERS.flat(),
    'Vary',
    cors.vary,
    'Content-Length',
    String(bytes.length),
    ...Object.entries(headers).flat(),
  ]);
  response.endPrepared(error.status, lines + ownLines(exchange), bytes);
}

function isNotModified({ headers }: IncomingMessage, { status, etag }: ReadyForm): boolean {
  return status === 200 && noneMatchNames(headers['if-none-match'], etag);
}

/** The headers that differ from response to response, as lines of a head. */
function ownLines({ request, facts, counted, cors }: Exchange, cached?: CacheState): string {
  const id = `X-Request-Id: ${facts.requestId}\r\n`;
  const standing = counted ? standingLines(counted.limiter, counted.standing) : '';
  return id + cors.linesOf(request.headers.origin) + standing + (cached ? cacheLines(cached) : '');
}
