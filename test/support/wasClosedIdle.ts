import type { ClientRequest } from 'node:http';

/**
 * Whether a request failed because the server closed an idle connection just as it was used again. Then the request is
 * sent again on another one, as browsers do.
 */
export function wasClosedIdle(sent: ClientRequest, { code }: NodeJS.ErrnoException): boolean {
  return sent.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}
