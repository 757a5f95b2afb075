import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { COMMON_HEADERS } from './headers.js';
import type { Refused } from './reportRefusals.js';

/** Internal properties of connections that the types of node:http leave out. A later version of Node may lack them. */
export interface Unlisted {
  /** The answer that is being sent. */
  _httpMessage?: ServerResponse | null;
  /** Calls `onIncoming` for each request, once its headers are parsed. */
  parser?: { onIncoming: (request: IncomingMessage, keepAlive: boolean) => number };
}

/** The most headers of a request. */
export const MOST_HEADERS = 200;

/** Node's code for a request whose headers have not arrived in time. */
const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';
/** How requests that Node's parser refuses are answered, by the code of Node's error. */
const REFUSALS: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [
    431,
    `The request line and headers must be at most 16 kB long, with at most ${MOST_HEADERS} headers`,
  ],
  HPE_INVALID_URL: [
    400,
    'The URL must begin with a slash, and characters such as ü must be percent-encoded (%C3%BC)',
  ],
  [LATE]: [408, 'The request did not arrive in time'],
};
const UNREADABLE: [status: number, message: string] = [400, 'The request could not be read'];

/**
 * Answers malformed requests, and those with an unknown `Expect` header, with the JSON body of all errors. Node itself
 * would answer them without a body. Then the connection is closed. Where an earlier answer on it has begun, nothing is
 * written into that answer. `onRefused` is called for each such request.
 */
export function answerClientErrors(
  server: Server,
  onRefused: (refused: Refused) => void = () => undefined,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // While an answer is streamed, or requests wait, this process reads nothing from the connection. So it is not the
    // client's fault that the headers are late. An answer here would also be mixed into the streamed one.
    if (error.code === LATE && socket.isPaused()) return;
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const [status, message] = REFUSALS[error.code ?? ''] ?? UNREADABLE;
    onRefused({ status });
    const { _httpMessage: earlier } = socket as Unlisted;
    if (earlier?.headersSent) {
      socket.destroy();
      return;
    }
    const { headers, body } = refusal(message);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
    // Requests before this one may wait, so that nothing is read. Their answers cannot be sent any more. Without this,
    // nobody would notice that the client has closed the connection.
    socket.resume();
  });
  server.on('checkExpectation', (_request, response) => {
    onRefused({ status: 417 });
    refuse(response, 417, 'The only expectation known here is 100-continue');
  });
}

/** Refuses a request with the JSON body of all errors and the code VALIDATION_ERROR. Then the connection is closed. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  const { headers, body } = refusal(message);
  response.writeHead(status, headers).end(body);
}

/** The headers and body of a refusal. `Connection: close` makes Node close the connection after it. */
function refusal(message: string): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify({ error: message, code: 'VALIDATION_ERROR' });
  const headers = {
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    ...Object.fromEntries(COMMON_HEADERS),
    'X-Request-Id': randomUUID(),
  };
  return { headers, body };
}
