import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server } from 'node:http';
import { API_VERSION } from '../../../shared/contract/openapi.js';

const STATUSES: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers what is no HTTP request in the one error shape, then closes the connection. */
export function answerClientErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = STATUSES[error.code ?? ''] ?? 400;
    const body = JSON.stringify({
      error: 'The request could not be read',
      code: 'VALIDATION_ERROR',
    });
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\n` +
        `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n` +
        `Cache-Control: no-store\r\nAPI-Version: ${API_VERSION}\r\n` +
        `X-Request-Id: ${randomUUID()}\r\n\r\n${body}`,
    );
  });
}
