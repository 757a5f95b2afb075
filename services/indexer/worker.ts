import { UnrecoverableError, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { QUEUE_NAME, type JobName } from '../../shared/jobs/jobs.js';
import { retryDelay } from '../../shared/jobs/producer.js';
import type { Logger } from '../../shared/platform/logger.js';
import { isPermanent } from './permanentErrors.js';
import type { Report } from './report.js';
import type { Handlers } from './handlers.js';

/**
 * Crashes of a worker a job survives. BullMQ's default is 1, so that two crashes would lose a job whatever its attempts.
 */
const MAX_STALLED_COUNT = 100;

/** A job is given to another worker when its own has been silent for so long: at most the sum of both after a crash. */
const LOCK_MS = 15_000;
const LOOK_FOR_STALLED_EVERY_MS = 5_000;

/** A BullMQ worker that hands each job to its handler and tells permanent errors from passing ones. */
export function createWorker(
  redis: Redis,
  options: { namespace: string; concurrency: number; handlers: Handlers; logger: Logger },
): Worker {
  const { handlers, logger } = options;
  const worker = new Worker(QUEUE_NAME, (job) => runJob(job, handlers, logger), {
    connection: redis,
    prefix: options.namespace,
    concurrency: options.concurrency,
    maxStalledCount: MAX_STALLED_COUNT,
    lockDuration: LOCK_MS,
    stalledInterval: LOOK_FOR_STALLED_EVERY_MS,
    settings: { backoffStrategy: retryDelay },
  });
  worker.on('error', (error) => logger.warn({ error }, 'The queue cannot be reached'));
  worker.on('failed', (job, error) =>
    logger.error({ error, jobId: job?.id, job: job?.name }, 'A job failed'),
  );
  return worker;
}

async function runJob(job: Job, handlers: Handlers, logger: Logger): Promise<unknown> {
  const handler = Object.hasOwn(handlers, job.name) ? handlers[job.name as JobName] : undefined;
  if (!handler) throw new UnrecoverableError(`There is no job named ${job.name}`);
  const started = Date.now();
  try {
    const result = await handler(job.data, reporter(job));
    logger.info({ jobId: job.id, job: job.name, ms: Date.now() - started, result }, 'Job done');
    return result;
  } catch (error) {
    if (isPermanent(error)) throw new UnrecoverableError((error as Error).message);
    throw error;
  }
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
