import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server } from 'node:http';
import { COMMON_HEADERS } from './headers.js';

const STATUSES: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Answers malformed requests, and those with an unknown `Expect` header, in the one error shape. Node itself would
 * answer them without a body.
 */
export function answerClientErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const status = STATUSES[error.code ?? ''] ?? 400;
    const { headers, body } = refusal('The request could not be read');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  });
  server.on('checkExpectation', (_request, response) => {
    const { headers, body } = refusal('The only expectation known here is 100-continue');
    response.writeHead(417, headers).end(body);
  });
}

/** A refusal after which the connection is closed. */
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
