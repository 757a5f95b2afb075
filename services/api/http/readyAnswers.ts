import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from '../answer.js';
import type { Operation } from '../../../shared/contract/operation.js';
import { hasBody } from './body.js';
import type { CorsPolicy } from './cors.js';
import type { GateOptions } from './credentials/gate.js';
import { limitOf, standingHeaders } from './credentials/countRequest.js';
import { entityTag, noneMatchNames } from './entityTag.js';
import { COMMON_HEADERS } from './headers.js';
import { hasOneHost } from './hosts.js';
import { chooseEncoding, encodingClass, type Encoding } from './negotiate.js';
import { requestIdOf, type Observe } from './observeRequests.js';
import type { ResponseCache } from './responseCache.js';
import { cacheHeaders, isGzipOffered, PUBLIC } from './send.js';

/** An answer in the form that one class of clients takes, with the headers that are the same for all of them. */
export interface ReadyAnswer {
  operation: Pick<Operation, 'operationId' | 'limitedAs'>;
  /** The path with its parameters' names. */
  route: string;
  /** The quoted entity tag of this form. */
  etag: string;
  body: Buffer | string;
  /** Bytes of the body. */
  length: number;
  /** Names and values in turn, of an answer with its body and of 304. */
  headers: readonly string[];
  notModified: readonly string[];
  /** When the answer expires (milliseconds since 1970); undefined where it does not. */
  expiresAt: number | undefined;
}

/**
 * A body of at most so many bytes is kept as text of one character a byte, which Node writes to the socket together with
 * the headers. That costs less than a write of two buffers.
 */
const SENT_AS_TEXT = 65_536;

/** The name under which the cache knows an answer for requests like this one. */
export function readyName({ url = '', headers }: IncomingMessage): string {
  return encodingClass(headers['accept-encoding']) + url;
}

/**
 * The form of an answer for requests like this one; undefined when its bytes are not at hand.
 */
export function makeReady(
  { headers: asked }: IncomingMessage,
  answer: Answer,
  about: Pick<ReadyAnswer, 'operation' | 'route'>,
  cors: CorsPolicy,
): ReadyAnswer | undefined {
  const encoding = chooseEncoding(asked['accept-encoding'], isGzipOffered(answer));
  const body = answer[encoding];
  if (!body) return undefined;
  const etag = entityTag(answer.etag, encoding);
  const notModified = [
    ...COMMON_HEADERS.flat(),
    ...['Vary', cors.vary, 'ETag', etag, 'Cache-Control', PUBLIC],
    ...Object.entries(answer.headers ?? {}).flat(),
  ];
  const isShort = body.length <= SENT_AS_TEXT;
  return {
    ...{
      ...about,
      etag,
      notModified,
      body: isShort ? body.toString('latin1') : body,
      length: body.length,
      expiresAt: answer.cached?.expiresAt,
    },
    headers: [...notModified, ...contentHeaders(encoding, body.length)],
  };
}

/** Bytes that a ready answer takes beside the answer that it was made from. */
export function readySizeOf({ body, length }: ReadyAnswer): number {
  return typeof body === 'string' ? length : 0;
}

function contentHeaders(encoding: Encoding, length: number): string[] {
  return [
    ...['Content-Type', 'application/json; charset=utf-8'],
    ...(encoding === 'gzip' ? ['Content-Encoding', 'gzip'] : []),
    ...['Content-Length', String(length)],
  ];
}

export interface ReadyOptions extends Pick<GateOptions, 'limits' | 'addressOf'> {
  cache: Pick<ResponseCache<object, ReadyAnswer>, 'find'>;
  cors: CorsPolicy;
  observe: Observe;
}

/**
 * Answers a read whose answer is ready in the cache, and says whether it did. Such a request was asked before with the
 * same URL, so it needs no parsing. Requests with a credential or a body, and those that are to be refused, are left to
 * the routes.
 */
export function answerReady({ cache, cors, limits, addressOf, observe }: ReadyOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { method, headers: asked } = request;
    if (method !== 'GET' && method !== 'HEAD') return false;
    if (asked.authorization !== undefined || asked['x-api-key'] !== undefined) return false;
    const ready = cache.find(readyName(request));
    if (!ready || hasBody(request) || !hasOneHost(request)) return false;
    const limiter = limits && limitOf(limits, ready.operation);
    const standing = limiter?.take(addressOf(request));
    if (standing && standing.left < 0) return false;
    const requestId = requestIdOf(request);
    const isHeld = noneMatchNames(asked['if-none-match'], ready.etag);
    const headers = [
      ...(isHeld ? ready.notModified : ready.headers),
      ...['X-Request-Id', requestId],
      ...cors.headersOf(asked.origin),
    ];
    if (limiter && standing) {
      headers.push(...standingHeaders(limiter, standing).flat());
    }
    if (ready.expiresAt !== undefined)
      headers.push(...cacheHeaders({ state: 'HIT', expiresAt: ready.expiresAt }).flat());
    observe(request, response, {
      requestId,
      route: ready.route,
      operationId: ready.operation.operationId,
      sent: {
        bytes: isHeld ? 0 : ready.length,
        xCache: ready.expiresAt === undefined ? undefined : 'HIT',
      },
    });
    response.writeHead(isHeld ? 304 : 200, headers);
    if (isHeld || method === 'HEAD') response.end();
    else response.end(ready.body, 'latin1');
    return true;
  };
}
