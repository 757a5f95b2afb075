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
import { ProcessStops } from './work/commit.js';

/**
 * How many crashes of its worker a job survives. BullMQ's default is 1. Then two crashes would lose a job, however many
 * attempts it has.
 */
const MAX_STALLED_COUNT = 100;

/**
 * How long (ms) a worker may be silent before its job is given to another one. After a crash, that takes at most as
 * long as both times together.
 */
const LOCK_MS = 15_000;
const LOOK_FOR_STALLED_EVERY_MS = 5_000;

/** How long (ms) jobs that are under way may take to end when the worker stops. */
const LONGEST_END_MS = 4_000;
/** How long (ms) between two log lines about errors of the queue's worker. */
const TOLD_EVERY_MS = 30_000;

/**
 * Matches BullMQ's error about a job whose lock was gone when BullMQ renewed it. The job may just have ended: then Redis
 * handled the end first, which gives the lock back, and the renewal after that. So this error is not logged. The listener
 * of `lockRenewalFailed` logs the jobs that are still under way.
 */
const LOCK_NOT_RENEWED = /^could not renew lock for job /;

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
  /** Takes no more jobs, waits a short time for those under way, and gives the unfinished ones back to the queue. */
  stop(): Promise<void>;
}

/**
 * Makes a BullMQ worker. It hands each job to its handler once the stores answer. A job with a permanent error fails at
 * once, and one with another error is tried again.
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
      // From here on, the job is no longer this worker's to renew or to give back.
      underWay.delete(job);
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
  const tellError = seldom(TOLD_EVERY_MS, (error: Error) =>
    logger.warn({ err: error }, "The queue's worker met an error"),
  );
  worker.on('error', (error) => {
    if (!LOCK_NOT_RENEWED.test(error.message)) tellError(error);
  });
  const tellLost = seldom(TOLD_EVERY_MS, (lost: (string | undefined)[]) =>
    logger.warn(
      { jobs: lost },
      'Locks of jobs were lost, as this process or Redis stood still; other indexers may run these jobs as well',
    ),
  );
  worker.on('lockRenewalFailed', (jobIds) => {
    const lost = [...underWay.keys()].map(({ id }) => id).filter((id) => id && jobIds.includes(id));
    if (lost.length > 0) tellLost(lost);
  });
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
 * Gives jobs back to the queue, where they wait as if they had not been begun. Their work may still go on here, so they
 * may run twice, as every job may. A job whose lock was lost while Redis was away is back in the queue already.
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
  const started = performance.now();
  const end = (outcome: JobOutcome): void => {
    metrics.observeJob(job.name, outcome, (performance.now() - started) / 1_000);
  };
  try {
    const result = await handler(job.data, reporter(job));
    end('done');
    const ms = Math.round(performance.now() - started);
    logger.info({ jobId: job.id, job: job.name, ms, result }, 'Job done');
    return result;
  } catch (error) {
    if (error instanceof LookAgain) throw error;
    // It did not fail: the queue gives it to another process at once.
    if (error instanceof ProcessStops) throw new LookAgain(0);
    end(isPermanent(error) ? 'refused' : 'failed');
    if (isPermanent(error)) throw new UnrecoverableError(error.message);
    // Jobs that wait need not fail one after the other. So the stores are asked now.
    gate.suspect();
    if (error instanceof Error) cutCommand(error);
    throw error;
  }
}

/**
 * Cuts commands out of an error, because the queue stores its message and stack, and GET /admin/jobs/:id shows the
 * message.
 */
function cutCommand(error: Error): void {
  const { message } = error;
  Object.assign(error, { message: withoutCommand(message), stack: stackWithoutCommand(error) });
}

const REPORT_EVERY_MS = 500;

/**
 * Makes a report that tells the queue now and then how far a job has come. The job does not fail when the queue cannot
 * be told.
 */
function reporter(job: Job): Report {
  let toldAt = -Infinity;
  return (done, total) => {
    if (performance.now() - toldAt < REPORT_EVERY_MS && done < total) return;
    toldAt = performance.now();
    job.updateProgress({ done, total }).catch(() => undefined);
  };
}
