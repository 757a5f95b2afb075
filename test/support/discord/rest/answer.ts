import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Fault, LimitCause, RequestEntry } from '../types.js';
import type { Call } from './call.js';
import type { FaultBook } from './faults.js';
import type { LimitGuard, Refusal } from './limits.js';
import { notFound, RestError, unauthorized } from './restError.js';
import { matchRoute, type Route } from './routes.js';

/** What the API needs. */
export interface RestDeps {
  /** The parts of a call that do not come from the request. */
  context: Omit<Call, 'ids' | 'query' | 'body'>;
  limits: LimitGuard;
  faults: FaultBook;
  requests: RequestEntry[];
  listeners: Set<(entry: RequestEntry, body: unknown) => void>;
  token(): string;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  /** Text is sent as HTML, and everything else as JSON. */
  body: unknown;
  cause?: LimitCause;
}

const BASE = '/api/v10';

/** Answers a request to the API, or does what a fault demands. The answer is made when the request arrives. */
export async function answerRequest(
  deps: RestDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const path = url.startsWith(`${BASE}/`) ? url.slice(BASE.length) : url;
  const { pathname, searchParams } = new URL(path, 'http://double');
  const match = url.startsWith(`${BASE}/`) ? matchRoute(method, pathname) : null;
  const entry: RequestEntry = {
    method,
    path,
    route: match?.route.name ?? null,
    subject: match?.ids[0] ?? null,
    status: 0,
    at: Date.now(),
  };
  deps.requests.push(entry);
  const body = method === 'POST' ? await readJson(request) : null;
  const fault = deps.faults.take(entry);
  if (fault === 'cut') return void request.socket.destroy();
  const answer =
    planned(deps, fault) ??
    answerOf(deps, request, match && { ...match, query: searchParams, body });
  entry.status = answer.status;
  if (answer.cause) entry.cause = answer.cause;
  if (fault === 'held') await deps.faults.held();
  if (deps.faults.latencyMs > 0) await setTimeout(deps.faults.latencyMs);
  deps.limits.answered(answer.status, answer.cause, answer.headers);
  for (const listener of deps.listeners) listener(entry, answer.body);
  send(response, answer, fault);
}

/** The answer of a fault, in place of the API's. */
function planned({ limits }: RestDeps, fault: Fault | null): Answer | null {
  const html = '<html><body>The server has a problem</body></html>';
  switch (fault) {
    case 'notFound':
      return fail(new RestError(404, 0, '404: Not Found'));
    case 'serverError':
      return fail(new RestError(500, 0, '500: Internal Server Error'));
    case 'badGateway':
      return { status: 502, headers: {}, body: html };
    case 'unavailable':
      return { status: 503, headers: {}, body: html };
    case 'shared':
      return refused(limits.refuseShared());
    case 'withoutRetryAfter':
      return refused(limits.refuseWithoutRetryAfter());
    case 'cloudflare':
      limits.blockByCloudflare(1);
      return null;
    case 'cut':
    case 'cutBody':
    case 'garbled':
    case 'held':
    case null:
      return null;
  }
}

type Matched = { route: Route; ids: string[]; query: URLSearchParams; body: unknown } | null;

function answerOf(deps: RestDeps, request: IncomingMessage, match: Matched): Answer {
  const blocked = deps.limits.checkFirst();
  if (blocked) return refused(blocked);
  const { authorization, 'user-agent': agent = '' } = request.headers;
  if (!agent.startsWith('DiscordBot ('))
    return fail(new RestError(403, 40_333, 'internal network error'));
  if (authorization !== `Bot ${deps.token()}`) return fail(unauthorized());
  if (!match) return fail(notFound());
  const { route, ids, query, body } = match;
  const { headers, refusal } = deps.limits.check(route.name, ids[0] ?? null);
  if (refusal) return refused(refusal, headers);
  try {
    return { status: 200, headers, body: route.handler({ ...deps.context, ids, query, body }) };
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    return { ...fail(error), headers };
  }
}

function fail(error: RestError): Answer {
  return { status: error.status, headers: {}, body: error.body };
}

function refused({ cause, headers, body }: Refusal, more: Record<string, string> = {}): Answer {
  return { status: 429, headers: { ...more, ...headers }, body, cause };
}

function send(
  response: ServerResponse,
  { status, headers, body }: Answer,
  fault: Fault | null,
): void {
  const isText = typeof body === 'string';
  const text = isText ? body : JSON.stringify(body);
  const bytes = Buffer.from(fault === 'garbled' ? `${text.slice(0, -1)}<` : text);
  response.writeHead(status, {
    ...headers,
    'Content-Type': isText ? 'text/html' : 'application/json',
    'Content-Length': bytes.length,
  });
  if (fault !== 'cutBody') return void response.end(bytes);
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}

/** The JSON of a request; null where it is no JSON, or the client has gone. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  try {
    for await (const piece of request.setEncoding('utf8')) text += piece as string;
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
