import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { equalTexts } from './equalTexts.js';
import { isLocalHost } from './localHost.js';
import type { StoreWatch } from './watchStore.js';

/** Upper bounds of the histograms of durations (seconds). */
export const DURATION_BUCKETS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60];

/**
 * Milliseconds between two measurements of the event loop's lag. The library's default, 10, wakes a process 100 times a
 * second.
 */
const LAG_EVERY_MS = 200;

/** A registry that already has the metrics of the process itself. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_EVERY_MS });
  return registry;
}

/**
 * Adds a metric that tells for each watched store whether it answers. It tells one more, named `queue`: whether the
 * Redis of the queue takes jobs.
 */
export function registerStores(
  registry: Registry,
  watches: Readonly<Record<string, Pick<StoreWatch, 'isUp'>>>,
  takesJobs: () => Promise<boolean>,
): void {
  new Gauge({
    name: 'forum_archive_store_up',
    help: 'Whether a store answers (1) or is away (0); queue is also 0 while the memory of Redis is full',
    labelNames: ['store'],
    // With several processes, the result is 0 as soon as one of them cannot reach the store.
    aggregator: 'min',
    registers: [registry],
    async collect() {
      for (const [store, { isUp }] of Object.entries(watches)) this.set({ store }, isUp ? 1 : 0);
      this.set({ store: 'queue' }, (await takesJobs()) ? 1 : 0);
    },
  });
}

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

/**
 * Whether a request may read the metrics: `granted` with METRICS_TOKEN, or from this machine without a proxy in
 * between. A browser on this machine may hold a page of a site whose name points here. The page can read what its own
 * host answers, so the Host header must not be the name of a public site.
 */
export function metricsAccess(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  token: string | undefined,
): 'granted' | 'missing' | 'wrong' {
  const isForwarded = FORWARDING.some((name) => headers[name] !== undefined);
  const isFromHere = !isForwarded && LOOPBACK.test(socket.remoteAddress ?? '');
  if (isFromHere && isLocalHost(headers.host)) return 'granted';
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (given === undefined) return 'missing';
  return token !== undefined && equalTexts(digest(token), digest(given)) ? 'granted' : 'wrong';
}

/** A digest of a text. All digests have the same length, so comparing them does not show the length of the token. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
