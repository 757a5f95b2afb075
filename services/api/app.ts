import Koa from 'koa';
import type { Logger } from '../../shared/platform/logger.js';
import { recordAuditEntry } from '../../shared/store/recordAuditEntry.js';
import { auditRequests } from './http/auditRequests.js';
import { allowOrigins, corsPolicy } from './http/cors.js';
import { limitFailed } from './http/credentials/limitFailed.js';
import { createGate, type GateOptions } from './http/credentials/gate.js';
import { answerReads } from './http/answerReads.js';
import { answerErrors, answerUnmatched } from './http/errors.js';
import type { AnswerCache } from './http/findKept.js';
import { describeResponses } from './http/headers.js';
import { checkHosts } from './http/hosts.js';
import type { RequestHandler } from './http/listen.js';
import { serveMetrics } from './http/metrics.js';
import { mountRoutes } from './http/mount.js';
import { queueDashboard } from './http/queueDashboard.js';
import { checkUrls } from './http/query.js';
import { createObserver, observeRequests } from './http/observeRequests.js';
import type { ApiMetrics } from './metrics/apiMetrics.js';
import { createRoutes, type RouteDeps } from './routes.js';

export interface AppDeps extends RouteDeps {
  cache: AnswerCache;
  logger: Logger;
  metrics: ApiMetrics;
  /** Undefined where only this machine may read the metrics. */
  metricsToken: string | undefined;
  corsOrigins: string;
  /** Whether the request log holds addresses. */
  logAddresses: boolean;
  /** Whether the audit trail also holds reads. */
  auditReads: boolean;
  /** How callers are limited, and whether they need a credential. `auth` identifies them. */
  credentials: Omit<GateOptions, 'identify'>;
  /** How long a read may take (ms). */
  readMs: number;
}

/**
 * Makes the handler of all requests. A read whose answer is the same for every caller is answered without Koa, by
 * `answerReads`. Every other request passes the middleware below, in this order.
 */
export function createApp(deps: AppDeps): RequestHandler {
  const { logger, credentials, auth, cache, readMs } = deps;
  const { addressOf, limits } = credentials;
  const cors = corsPolicy(deps.corsOrigins);
  const loggedAddress = deps.logAddresses ? addressOf : undefined;
  const observe = createObserver(logger, deps.metrics, loggedAddress);
  const gate = createGate({ ...credentials, identify: auth.identify });
  const routes = createRoutes(deps);
  const app = new Koa();
  app.use(observeRequests(observe));
  app.use(describeResponses());
  app.use(allowOrigins(cors));
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
  app.use(mountRoutes(routes, { cache, gate, readMs }));
  app.use(answerUnmatched(gate));
  app.on('error', (error: unknown) => {
    logger.debug({ err: error }, 'A response was cut');
  });
  const handle = app.callback();
  const answer = answerReads({ routes, cache, cors, limits, addressOf, observe, logger, readMs });
  return (request, response) => {
    if (!answer(request, response)) void handle(request, response);
  };
}
