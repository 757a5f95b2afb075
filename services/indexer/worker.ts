import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { DelayedError, UnrecoverableError, Worker } from '../../shared/drivers/bullmq.js';
import { QUEUE_NAME, type JobName } from '../../shared/jobs/jobs.js';
import { retryDelay } from '../../shared/jobs/producer.js';
import type { Logger } from '../../shared/platform/logger.js';
import { seldom } from '../../shared/platform/seldom.js';
import { withTimeout } from '../../shared/platform/withTimeout.js';
import { stackWithoutCommand, withoutCommand } from '../../shared/platform/withoutCommand.js';
import { isPermanent, LookAgain } from './permanentErrors.js';
import type { IndexerMetrics, JobOutcome } from './metrics/indexerMetrics.js';
import type { Report } from './report.js';
import type { Handlers } from './handlers.js';
import type { StoreGate } from './storeGate.js';

/**
 * Crashes of a worker a job survives. BullMQ's default is 1, so that two crashes would lose a job whatever its
 * attempts.
 */
const MAX_STALLED_COUNT = 100;

/** A job is given to another worker when its own has been silent for so long: at most the sum of both after a crash. */
const LOCK_MS = 15_000;
const LOOK_FOR_STALLED_EVERY_MS = 5_000;

/** Milliseconds that jobs under way have to come to their end when the worker stops. */
const LONGEST_END_MS = 4_000;
/** Milliseconds between two lines about a queue that cannot be reached. */
const TOLD_EVERY_MS = 30_000;

export interface WorkerOptions {
  namespace: string;
  concurrency: number;
  handlers: Handlers;
  gate: Pick<StoreGate, 'open' | 'suspect'>;
  metrics: Pick<IndexerMetrics, 'observeJob'>;
  logger: Logger;
}

/** The queue's worker. */
export interface QueueWorker {
  /**
   * Takes no more jobs, waits a moment for those under way, and gives the others back to the queue for the next worker.
   */
  stop(): Promise<void>;
}

/**
 * A BullMQ worker that hands each job to its handler, when the stores are there, and tells permanent errors from
 * passing ones.
 */
export function createWorker(redis: Redis, options: WorkerOptions): QueueWorker {
  const { logger } = options;
  const underWay = new Map<Job, string | undefined>();
  const run = async (job: Job, token?: string): Promise<unknown> => {
    underWay.set(job, token);
    try {
      return await runJob(job, options);
    } catch (error) {
      if (!(error instanceof LookAgain)) throw error;
      await job.moveToDelayed(Date.now() + error.afterMs, token);
      throw new DelayedError();
    } finally {
      underWay.delete(job);
    }
  };
  const worker = new Worker(QUEUE_NAME, run, {
    connection: redis,
    prefix: options.namespace,
    concurrency: options.concurrency,
    maxStalledCount: MAX_STALLED_COUNT,
    lockDuration: LOCK_MS,
    stalledInterval: LOOK_FOR_STALLED_EVERY_MS,
    settings: { backoffStrategy: retryDelay },
  });
  worker.on(
    'error',
    seldom(TOLD_EVERY_MS, (error) => logger.warn({ err: error }, 'The queue cannot be reached')),
  );
  worker.on('failed', (job, error) =>
    logger.error({ err: error, jobId: job?.id, job: job?.name }, 'A job failed'),
  );
  return {
    async stop() {
      const closed = worker.close();
      await withTimeout(LONGEST_END_MS, () => closed).catch(() => giveBack(underWay, logger));
    },
  };
}

/**
 * A job that is given back waits as if it had not been begun: it may run twice, as every job may. One whose lock was
 * lost while Redis was away is the queue's already.
 */
async function giveBack(underWay: Map<Job, string | undefined>, logger: Logger): Promise<void> {
  const jobs = [...underWay];
  logger.info({ jobs: jobs.map(([{ id }]) => id) }, 'Giving jobs back to the queue');
  const giving = jobs.map(([job, token]) => job.moveToWait(token));
  for (const given of await Promise.allSettled(giving)) {
    if (given.status === 'rejected')
      logger.warn({ err: given.reason as unknown }, 'A job was not given back');
  }
}

async function runJob(
  job: Job,
  { handlers, gate, metrics, logger }: WorkerOptions,
): Promise<unknown> {
  const handler = Object.hasOwn(handlers, job.name) ? handlers[job.name as JobName] : undefined;
  if (!handler) throw new UnrecoverableError(`There is no job named ${job.name}`);
  await gate.open();
  const started = Date.now();
  const end = (outcome: JobOutcome): void => {
    metrics.observeJob(job.name, outcome, (Date.now() - started) / 1_000);
  };
  try {
    const result = await handler(job.data, reporter(job));
    end('done');
    logger.info({ jobId: job.id, job: job.name, ms: Date.now() - started, result }, 'Job done');
    return result;
  } catch (error) {
    if (error instanceof LookAgain) throw error;
    end(isPermanent(error) ? 'refused' : 'failed');
    if (isPermanent(error)) throw new UnrecoverableError(error.message);
    // Those that wait behind it need not fail one after the other.
    gate.suspect();
    if (error instanceof Error) cutCommand(error);
    throw error;
  }
}

/** The queue keeps an error's message and stack, and GET /admin/jobs/:id shows the message. */
function cutCommand(error: Error): void {
  const { message } = error;
  Object.assign(error, { message: withoutCommand(message), stack: stackWithoutCommand(error) });
}

const REPORT_EVERY_MS = 500;

/** Tells the queue how far a job has come, now and then; that it cannot be told is no failure of the job. */
function reporter(job: Job): Report {
  let toldAt = 0;
  return (done, total) => {
    if (Date.now() - toldAt < REPORT_EVERY_MS && done < total) return;
    toldAt = Date.now();
    job.updateProgress({ done, total }).catch(() => undefined);
  };
}
