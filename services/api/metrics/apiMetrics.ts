import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { createRegistry, DURATION_BUCKETS } from '../../../shared/platform/metrics.js';
import type { CacheCounters } from '../admin/getAdminStats.js';
import { sumMetrics } from '../processes/sumMetrics.js';
import { RequestDurations } from './requestDurations.js';

/** What is measured of one request. */
export interface MeasuredRequest {
  /** The id of the operation; `none` where no route matched. */
  operation: string;
  status: number;
  seconds: number;
  /** The X-Cache header, where the answer has one. */
  xCache: string | undefined;
  /** The limit that refused the request. */
  limitedBy: string | undefined;
}

/** The metrics of an API process. No label holds text of a caller. */
export interface ApiMetrics {
  registry: Registry;
  /**
   * Resolves with the metrics of all processes of this API, added up, in the text format of Prometheus. Rejects with a
   * TimeoutError where the parent process does not answer.
   */
  read: () => Promise<string>;
  observeRequest: (request: MeasuredRequest) => void;
  /** Counts a connection that was closed because too many were open: in all, or of its address. */
  countClosed: (tooMany: 'all' | 'address') => void;
  /** Counts a call to a store. `failed` means that the store was away, too slow or too busy. */
  observeCall: (store: string, seconds: number, failed: boolean) => void;
}

/** Makes the metrics of an API process. `isOneOfMany`: whether a parent process runs others beside it. */
export function createApiMetrics(cache: CacheCounters, isOneOfMany: boolean): ApiMetrics {
  const registry = createRegistry();
  const registers = [registry];
  const requests = new RequestDurations({
    name: 'forum_archive_http_request_duration_seconds',
    help: 'Requests by operation and status: how many, and how long until their answer was sent',
    registry,
  });
  const calls = new Histogram({
    name: 'forum_archive_store_call_duration_seconds',
    help: 'Calls to a store: how many, and how long until their answer',
    labelNames: ['store'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const failures = new Counter({
    name: 'forum_archive_store_call_failures_total',
    help: 'Calls that a store did not answer, or not in time',
    labelNames: ['store'],
    registers,
  });
  const limited = new Counter({
    name: 'forum_archive_rate_limited_total',
    help: 'Requests refused by a rate limit',
    labelNames: ['limit'],
    registers,
  });
  const closed = new Counter({
    name: 'forum_archive_connections_refused_total',
    help: 'Connections closed because too many were open: in all, or of one address',
    labelNames: ['limit'],
    registers,
  });
  const statistics = new Map<string, number>();
  registerStatistics(registry, statistics);
  registerCache(registry, cache);
  return {
    registry,
    read: isOneOfMany ? sumMetrics(registry) : () => registry.metrics(),
    observeRequest({ operation, status, seconds, xCache, limitedBy }) {
      requests.observe(operation, status, seconds);
      if (xCache !== undefined && operation === 'getServerStats') {
        statistics.set(xCache, (statistics.get(xCache) ?? 0) + 1);
      }
      if (limitedBy !== undefined) limited.inc({ limit: limitedBy });
    },
    countClosed: (tooMany) => closed.inc({ limit: tooMany }),
    observeCall(store, seconds, failed) {
      calls.observe({ store }, seconds);
      if (failed) failures.inc({ store });
    },
  };
}

/**
 * Adds a metric that counts requests for statistics by their X-Cache header. The counts are kept in a plain map,
 * because the counter of the library costs more for each request.
 */
function registerStatistics(registry: Registry, counts: ReadonlyMap<string, number>): void {
  new Counter({
    name: 'forum_archive_stats_cache_total',
    help: 'Requests for statistics by their X-Cache header (hit, miss, bypass)',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [xCache, count] of counts) this.inc({ result: xCache.toLowerCase() }, count);
    },
  });
}

/** Adds metrics of the response cache. They are read from the cache's own counters when they are asked for. */
function registerCache(registry: Registry, cache: CacheCounters): void {
  new Counter({
    name: 'forum_archive_response_cache_total',
    help: 'Answers found in this process (hit), and not (miss)',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ result: 'hit' }, cache.traffic.hits);
      this.inc({ result: 'miss' }, cache.traffic.misses);
    },
  });
  new Gauge({
    name: 'forum_archive_response_cache_bytes',
    help: 'Bytes of answers in the response cache (CACHE_MEGABYTES in each process at most)',
    registers: [registry],
    collect() {
      this.set(cache.size.bytes);
    },
  });
}
