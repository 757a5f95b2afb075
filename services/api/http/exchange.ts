import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import type { AppError } from '../../../shared/contract/errors.js';
import type { Asker } from '../asker.js';
import type { CorsPolicy } from './cors.js';
import {
  createAsker,
  rateLimited,
  standingHeaders,
  unlimitedAsker,
} from './credentials/countRequest.js';
import type { RateLimiter, Standing } from './credentials/rateLimiter.js';
import { noneMatchNames } from './entityTag.js';
import { errorReply } from './errors.js';
import type { Form } from './forms.js';
import { COMMON_HEADERS } from './headers.js';
import type { RequestFacts } from './observeRequests.js';
import type { SentForm } from './readyAnswers.js';
import { cacheHeaders } from './send.js';

/** A read that is answered without Koa. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** What is logged and measured of it. */
  facts: RequestFacts;
  /** Where the address stands that asks; undefined where nothing is limited. */
  counted: { limiter: RateLimiter; name: string; standing: Standing } | undefined;
  cors: CorsPolicy;
}

/** Who asks. A charge shows in the headers. */
export function askerOf(exchange: Exchange): Asker {
  const { request, facts, counted } = exchange;
  if (!counted) return unlimitedAsker(request);
  const { limiter, name } = counted;
  return createAsker({ limiter, name, weight: 1 }, (standing) => {
    counted.standing = standing;
    if (standing.left >= 0) return;
    facts.limitedBy = counted.limiter.policy;
    throw rateLimited(standing);
  });
}

/** Sends a form whose body is at hand, or 304 when the client has it already. */
export function sendForm(
  exchange: Exchange,
  form: SentForm,
  body: Buffer | string | Readable,
): void {
  const { request, response, facts } = exchange;
  const isHeld = holds(request, form);
  const headers = [...(isHeld ? form.notModified : form.headers), ...ownHeaders(exchange)];
  if (form.cached) headers.push(...cacheHeaders(form.cached));
  facts.sent = { bytes: isHeld ? 0 : (form.length ?? 0), xCache: form.cached?.state };
  response.writeHead(isHeld ? 304 : form.status, headers);
  if (isHeld || request.method === 'HEAD') response.end();
  else if (typeof body === 'string' || Buffer.isBuffer(body)) response.end(body, 'latin1');
  // When a stream fails, the connection is cut. The log of the request says so.
  else pipeline(body, response, () => undefined);
}

/** Sends a form whose body may have to be made first. Rejects when that fails, and has sent nothing then. */
export function makeAndSend(exchange: Exchange, form: SentForm): Promise<void> | undefined {
  const { request } = exchange;
  const { body } = form;
  const isSent = request.method === 'GET' && !holds(request, form);
  if (typeof body === 'function' && isSent) return sendMade(exchange, form, body);
  sendForm(exchange, form, typeof body === 'function' ? '' : body);
  return undefined;
}

async function sendMade(exchange: Exchange, form: SentForm, make: Form['open']): Promise<void> {
  sendForm(exchange, form, await make());
}

/** Sends an error in the one error shape. */
export function sendError(exchange: Exchange, error: AppError): void {
  const { request, response, facts, cors } = exchange;
  const { headers, body } = errorReply(error, false);
  const bytes = Buffer.byteLength(body);
  facts.sent = { bytes, xCache: undefined };
  response.writeHead(error.status, [
    ...COMMON_HEADERS.flat(),
    ...['Vary', cors.vary, 'Content-Length', String(bytes)],
    ...Object.entries(headers).flat(),
    ...ownHeaders(exchange),
  ]);
  response.end(request.method === 'HEAD' ? undefined : body);
}

function holds({ headers }: IncomingMessage, { status, etag }: SentForm): boolean {
  return status === 200 && noneMatchNames(headers['if-none-match'], etag);
}

/** Headers of this one answer. */
function ownHeaders({ request, facts, counted, cors }: Exchange): string[] {
  return [
    ...['X-Request-Id', facts.requestId],
    ...cors.headersOf(request.headers.origin),
    ...(counted ? standingHeaders(counted.limiter, counted.standing) : []),
  ];
}
