import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerClientErrors } from './clientErrors.js';

export interface Listener {
  /** `http://host:port`. */
  url: string;
  /** Answers what was asked, refuses what comes, and resolves when every connection is closed. */
  drain(): Promise<void>;
}

/** How long connections may go on being used after a drain began, told to close with each answer (ms). */
const GRACE = 500;

/** Serves requests at an address; slow, idle and too many connections are cut. */
export async function listen(
  handler: RequestListener,
  { host, port }: { host: string; port: number },
): Promise<Listener> {
  let draining = false;
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      keepAliveTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      if (draining) response.setHeader('Connection', 'close');
      handler(request, response);
    },
  );
  server.maxConnections = 10_000;
  answerClientErrors(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const drain = async (): Promise<void> => {
    draining = true;
    await elapsed(GRACE);
    await close(server);
  };
  return { url: urlOf(server.address() as AddressInfo), drain };
}

/** Closes a server; connections that end their last answer are closed at once. */
async function close(server: Server): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
}

function elapsed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
