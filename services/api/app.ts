import type { RequestListener } from 'node:http';
import Koa from 'koa';
import type { Logger } from '../../shared/platform/logger.js';
import { recordAuditEntry } from '../../shared/store/recordAuditEntry.js';
import { auditRequests } from './http/auditRequests.js';
import { allowOrigins } from './http/cors.js';
import { limitFailed } from './http/credentials/limitFailed.js';
import { createGate, type GateOptions } from './http/credentials/gate.js';
import { answerErrors, answerUnmatched } from './http/errors.js';
import { describeResponses } from './http/headers.js';
import { checkHosts } from './http/hosts.js';
import { measureRequests, serveMetrics } from './http/metrics.js';
import { mountRoutes, type Outcome } from './http/mount.js';
import { queueDashboard } from './http/queueDashboard.js';
import { checkUrls } from './http/query.js';
import { identifyRequests, logRequests } from './http/requestLog.js';
import type { ResponseCache } from './http/responseCache.js';
import type { ApiMetrics } from './metrics/apiMetrics.js';
import { createRoutes, type RouteDeps } from './routes.js';

export interface AppDeps extends RouteDeps {
  cache: ResponseCache<Outcome>;
  logger: Logger;
  metrics: ApiMetrics;
  /** Undefined where only this machine may read metrics. */
  metricsToken: string | undefined;
  corsOrigins: string;
  /** Whether the log of requests holds addresses. */
  logAddresses: boolean;
  /** Whether the audit trail holds reads. */
  auditReads: boolean;
  /** How callers are identified and limited. */
  credentials: Omit<GateOptions, 'identify'>;
}

/** The whole API as a handler of requests. Its lines stand in the order in which a request passes them. */
export function createApp(deps: AppDeps): RequestListener {
  const { logger, credentials, auth } = deps;
  const gate = createGate({ ...credentials, identify: auth.identify });
  const app = new Koa();
  app.use(identifyRequests());
  app.use(logRequests(logger, { ...credentials, addresses: deps.logAddresses }));
  app.use(measureRequests(deps.metrics));
  app.use(describeResponses());
  app.use(allowOrigins(deps.corsOrigins));
  app.use(answerErrors(logger));
  app.use(limitFailed(credentials));
  app.use(checkHosts());
  app.use(checkUrls());
  app.use(serveMetrics(deps.metrics, deps.metricsToken));
  app.use(
    auditRequests((entry) => recordAuditEntry(deps.collections, entry), logger, {
      reads: deps.auditReads,
    }),
  );
  app.use(queueDashboard(deps.producer.queue, gate));
  app.use(mountRoutes(createRoutes(deps), deps.cache, gate));
  app.use(answerUnmatched(gate));
  app.on('error', (error: unknown) => {
    logger.debug({ err: error }, 'A response was cut');
  });
  const handle = app.callback();
  return (request, response) => void handle(request, response);
}
