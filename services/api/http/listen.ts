import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { startListening } from '../../../shared/platform/startListening.js';
import { answerClientErrors } from './clientErrors.js';

export interface Listener {
  /** `http://host:port`. */
  url: string;
  /** Answers what was asked, refuses what comes, and resolves when every connection is closed. */
  drain(): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  /** How long connections may go on being used after a drain began, told to close with each answer (ms). */
  graceMs?: number;
  /** How long nothing may move on a connection in the middle of a request (ms). */
  idleMs?: number;
}

/** Serves requests at an address; slow, idle and too many connections are cut. Throws SettingsError for a taken port. */
export async function listen(
  handler: RequestListener,
  { host, port, graceMs = 500, idleMs = 60_000 }: ListenOptions,
): Promise<Listener> {
  let draining = false;
  const server = createServer(
    {
      headersTimeout: 10_000,
      // Bodies have limits of their own, by route: an upload takes longer than a question.
      requestTimeout: 0,
      keepAliveTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
      // Node would answer without a body; the handler checks this itself.
      requireHostHeader: false,
    },
    (request, response) => {
      if (draining) response.setHeader('Connection', 'close');
      handler(request, response);
    },
  );
  server.setTimeout(idleMs);
  server.maxConnections = 10_000;
  answerClientErrors(server);
  await startListening(server, { host, port, setting: 'PORT' });
  const drain = async (): Promise<void> => {
    draining = true;
    const closed = stopListening(server);
    await elapsed(graceMs);
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    await closed;
    clearInterval(sweep);
  };
  return { url: urlOf(server.address() as AddressInfo), drain };
}

/** Takes no more connections; resolves when the last one is closed. */
function stopListening(server: Server): Promise<void> {
  // The close of HTTP also cuts idle connections, and with them requests that are just arriving on those.
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
}

function elapsed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
