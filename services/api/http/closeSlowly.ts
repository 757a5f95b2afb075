import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { hasBody } from './body.js';

/** How long a client may go on sending a body after the answer (ms). */
const LINGER_MS = 5_000;

/**
 * Where the answer to a request closes the connection before the body has arrived whole, as when a wrong credential is
 * refused, the connection is closed in two steps. First this side sends the answer and the end of its stream, and
 * drops what still arrives. It closes the connection once the client has ended its side, or after `lingerMs`. Node
 * would close it at once. Then the rest of the body would be answered by a reset, and many clients and proxies report
 * that in place of the answer.
 */
export function closeSlowly(request: IncomingMessage, lingerMs = LINGER_MS): void {
  if (!hasBody(request)) return;
  const { socket } = request;
  // Node calls this method after an answer with `Connection: close`.
  socket.destroySoon = () => {
    if (request.complete) {
      Socket.prototype.destroySoon.call(socket);
      return;
    }
    socket.end();
    request.unpipe();
    request.resume();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
}
