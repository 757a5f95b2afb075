import { createServer, type IncomingMessage } from 'node:http';
import type { Registry } from 'prom-client';
import type { Logger } from '../../../shared/platform/logger.js';
import { metricsAccess } from '../../../shared/platform/metrics.js';
import { startListening } from '../../../shared/platform/startListening.js';

/**
 * Serves GET /metrics on a port of its own, to this machine and to whoever holds the token. Resolves with a function
 * that closes the server.
 */
export async function serveMetrics(
  registry: Registry,
  {
    host,
    port,
    token,
    logger,
  }: { host: string; port: number; token: string | undefined; logger: Logger },
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const status = request.url === '/metrics' ? statusOf(request, token) : 404;
    response.setHeader('Cache-Control', 'private, no-store');
    if (status === 405) response.setHeader('Allow', METHODS.join(', '));
    if (status !== 200) {
      response.writeHead(status).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      (error: unknown) => {
        logger.error({ err: error }, 'A metric cannot be collected');
        response.writeHead(500).end();
      },
    );
  });
  // By default, Node reads 1,000 headers and drops the others, such as the address that a proxy adds last. Node limits
  // the bytes of all headers anyway.
  server.maxHeadersCount = 0;
  await startListening(server, { host, port, setting: 'METRICS_PORT' });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}

const METHODS = ['GET', 'HEAD'];
const STATUS = { granted: 200, missing: 401, wrong: 403 } as const;

function statusOf(request: IncomingMessage, token: string | undefined): number {
  return METHODS.includes(request.method ?? '') ? STATUS[metricsAccess(request, token)] : 405;
}
