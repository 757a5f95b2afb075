import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Producer } from '../../../shared/jobs/producer.js';
import { createRegistry, DURATION_BUCKETS } from '../../../shared/platform/metrics.js';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import type { Collections } from '../../../shared/store/collections.js';
import { FAILED } from '../../../shared/store/quarantine.js';
import { oldestPendingSeconds } from '../../../shared/store/oldestPending.js';
import { readEventsState } from '../../../shared/store/syncState.js';
import type { WriteCounters } from '../deps.js';

/** How a try of a job ended. A `failed` job may be tried again; a `refused` one never is. */
export type JobOutcome = 'done' | 'failed' | 'refused';

/** The metrics of an indexer. */
export interface IndexerMetrics {
  registry: Registry;
  observeJob: (name: string, outcome: JobOutcome, seconds: number) => void;
  counters: WriteCounters;
}

/** How long (ms) a store may take to tell a number. After that the number is left out. */
const ASK_MS = 1_000;

/** Makes the metrics of an indexer. What is counted in the stores is counted each time that the metrics are read. */
export function createIndexerMetrics(
  collections: Pick<Collections, 'importFiles' | 'work' | 'state'>,
  producer: Pick<Producer, 'counts'>,
): IndexerMetrics {
  const registry = createRegistry();
  const registers = [registry];
  const jobs = new Histogram({
    name: 'forum_archive_job_duration_seconds',
    help: 'Tries of jobs by name and outcome: how many, and how long',
    labelNames: ['job', 'outcome'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const projected = new Counter({
    name: 'forum_archive_threads_projected_total',
    help: 'Threads whose views and search documents were built',
    registers,
  });
  const events = new Histogram({
    name: 'forum_archive_event_duration_seconds',
    help: 'Events of the platform: how many were recorded, and how long after they came',
    buckets: DURATION_BUCKETS,
    registers,
  });
  const asked = new Counter({
    name: 'forum_archive_platform_requests_total',
    help: 'Requests of the platform by outcome: answer, refused, wait (a limit was met), fault',
    labelNames: ['outcome'],
    registers,
  });
  registerQueue(registry, producer);
  registerStored(registry, collections);
  return {
    registry,
    observeJob: (job, outcome, seconds) => jobs.observe({ job, outcome }, seconds),
    counters: {
      threadBuilt: () => projected.inc(),
      eventRecorded: (seconds) => events.observe(seconds),
      platformAsked: (outcome) => asked.inc({ outcome }),
    },
  };
}

function registerQueue(registry: Registry, producer: Pick<Producer, 'counts'>): void {
  new Gauge({
    name: 'forum_archive_queue_jobs',
    help: 'Jobs in the queue by state; absent while Redis is away',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset();
      const counts = await asked(() => producer.counts());
      for (const [state, count] of Object.entries(counts ?? {})) this.set({ state }, count);
    },
  });
}

function registerStored(
  registry: Registry,
  { importFiles, work, state }: Pick<Collections, 'importFiles' | 'work' | 'state'>,
): void {
  const gauge = (name: string, help: string, ask: () => Promise<number | undefined>): void => {
    new Gauge({
      name: `forum_archive_${name}`,
      help: `${help}; absent while MongoDB is away`,
      registers: [registry],
      async collect() {
        const value = await asked(ask);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  };
  gauge(
    'oldest_pending_seconds',
    'Age of the oldest mark of a thread to be built',
    async () => (await oldestPendingSeconds({ work })) ?? 0,
  );
  gauge('work_marks', 'Marks of what is still to be done, or is quarantined', () =>
    work.estimatedDocumentCount(),
  );
  gauge('waiting_files', 'Files that were taken for import, and are not imported yet', () =>
    importFiles.countDocuments({ state: 'queued' }),
  );
  gauge('quarantined', 'What is quarantined: documents, threads, files and other work', () =>
    work.countDocuments(FAILED),
  );
  gauge(
    'gateway_connected',
    'Whether the platform tells events; absent without a bot',
    async () => {
      const events = await readEventsState({ state });
      return events ? Number(events.connectedAt !== null) : undefined;
    },
  );
  gauge(
    'gateway_waiting_events',
    'Events received that are not recorded yet; absent without a bot',
    async () => (await readEventsState({ state }))?.waiting,
  );
}

async function asked<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await withTimeout(ASK_MS, ask);
  } catch {
    return undefined;
  }
}
