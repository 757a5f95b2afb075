import type { Logger } from '../../../shared/platform/logger.js';
import { seldom } from '../../../shared/platform/seldom.js';
import type { ApiMetrics } from '../metrics/apiMetrics.js';

/**
 * What was refused. Either a connection was closed because too many were open: in all, or of its address. Or a request
 * was answered with this status before any route was looked for.
 */
export type Refused = { tooMany: 'all' | 'address' } | { status: number };

/** The least time between two log lines about connections (ms). */
const TOLD_EVERY_MS = 60_000;

/** Makes a function that measures what is refused. Of connections it logs that, too, at most once a minute. */
export function reportRefusals(
  metrics: Pick<ApiMetrics, 'observeRequest' | 'countClosed'>,
  logger: Logger,
): (refused: Refused) => void {
  const tell = {
    all: seldom(TOLD_EVERY_MS, () =>
      logger.warn('New connections are closed: this process has as many as it may have'),
    ),
    address: seldom(TOLD_EVERY_MS, () =>
      logger.warn(
        'New connections of an address are closed: it has as many as one may have. Where a proxy has this address, set TRUST_PROXY',
      ),
    ),
  };
  return (refused) => {
    if ('tooMany' in refused) {
      metrics.countClosed(refused.tooMany);
      tell[refused.tooMany]();
      return;
    }
    const { status } = refused;
    metrics.observeRequest({
      operation: 'none',
      status,
      seconds: 0,
      xCache: undefined,
      limitedBy: undefined,
    });
  };
}
