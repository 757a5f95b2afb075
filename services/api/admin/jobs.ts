import type { Job } from 'bullmq';
import type { AdminJob, JobListQuery, JobState } from '../../../shared/contract/admin.js';
import type { VerifyReport } from '../../../shared/contract/verify.js';
import { AppError } from '../../../shared/contract/errors.js';
import { ErrorCode } from '../../../shared/drivers/bullmq.js';
import { isJobId } from '../../../shared/jobs/isJobId.js';
import type { QueueProducer } from '../../../shared/jobs/producer.js';
import type { Collections } from '../../../shared/store/collections.js';
import { findRebuild, rebuildProgress } from '../../../shared/store/searchGenerations.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import { queuedJob } from './fileJob.js';
import { findImport, isImport, refileImport } from './importJob.js';
import { withQueue, type QueueDeps } from './withQueue.js';

interface Deps extends QueueDeps {
  collections: Collections;
  producer: QueueProducer;
}

/** BullMQ's names of each state. */
const STATES = {
  queued: ['wait', 'prioritized'],
  active: ['active'],
  delayed: ['delayed'],
  done: ['completed'],
  failed: ['failed'],
} as const satisfies Record<JobState, readonly string[]>;

/** GET /admin/jobs: the jobs of the queue, newest first. Throws UNAVAILABLE. */
export function listJobs(deps: Deps): Handler<unknown, JobListQuery> {
  return async ({ query: { state, limit } }) => {
    const states = state ? STATES[state] : Object.values(STATES).flat();
    const { queue } = deps.producer;
    const found = await withQueue(deps, () => queue.getJobs([...states], 0, limit - 1));
    const newest = found
      // A job may be removed after its id was read.
      .filter((job): job is Job => Boolean(job as Job | undefined))
      .sort((left, right) => right.timestamp - left.timestamp)
      .slice(0, limit);
    const jobs = await Promise.all(newest.map((job) => presentJob(job, deps)));
    return jsonAnswer({ jobs: jobs.filter((job) => job !== null) });
  };
}

/** GET /admin/jobs/:jobId: a job of the queue, or an import with its files. Throws NOT_FOUND and UNAVAILABLE. */
export function getJob(deps: Deps): Handler<{ jobId: string }, unknown> {
  return async ({ params: { jobId } }) => {
    const whole = await findImport(deps.collections, jobId);
    if (whole) return jsonAnswer(whole);
    const job = await presentJob(await findJob(deps, jobId), deps);
    if (!job) throw notFound();
    return jsonAnswer(job);
  };
}

/**
 * POST /admin/jobs/:jobId/retry: queues a failed job again, or the waiting files of an import. Throws NOT_FOUND,
 * UNAVAILABLE, and CONFLICT where there is nothing to try again.
 */
export function retryJob(deps: Deps): Handler<{ jobId: string }, unknown> {
  return async ({ params: { jobId } }) => {
    if (await isImport(deps.collections, jobId)) {
      await refileImport(deps, jobId);
      return jsonAnswer(queuedJob(jobId));
    }
    const job = await findJob(deps, jobId);
    await withQueue(deps, () => job.retry('failed').catch(refuseRetry));
    return jsonAnswer(queuedJob(jobId));
  };
}

function refuseRetry(error: Error & { code?: unknown }): never {
  if (error.code === ErrorCode.JobNotExist) throw notFound();
  if (error.code !== ErrorCode.JobNotInState) throw error;
  throw new AppError('CONFLICT', 'Only a failed job can be tried again');
}

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'Job not found');
}

async function findJob(deps: Deps, jobId: string): Promise<Job> {
  const { queue } = deps.producer;
  const job =
    isJobId(jobId) && ((await withQueue(deps, () => queue.getJob(jobId))) as Job | undefined);
  if (!job) throw notFound();
  return job;
}

/** A job as the API shows it; null where it was removed after it was read. */
async function presentJob(job: Job, deps: Deps): Promise<AdminJob | null> {
  const state = stateOf(job, await withQueue(deps, () => job.getState()));
  if (state === null) return null;
  const { done, total } = progressOf(job);
  const ratio = total > 0 ? Math.min(done / total, 1) : 0;
  return {
    jobId: job.id ?? '',
    name: job.name,
    state,
    progress: state === 'done' ? 1 : ((await ofRebuild(job, deps.collections)) ?? ratio),
    counts: { ...(total > 0 ? { done, total } : {}), ...numbersOf(job.returnvalue) },
    error: state === 'done' ? null : job.failedReason || null,
    attempts: job.attemptsMade,
    queuedAt: new Date(job.timestamp).toISOString(),
    finishedAt: job.finishedOn ? new Date(job.finishedOn).toISOString() : null,
    ...(job.name === 'verify' && state === 'done'
      ? { report: job.returnvalue as VerifyReport }
      : {}),
  };
}

/**
 * The state of a job by its state in BullMQ; null where it was removed. BullMQ lists waiting jobs under `wait`, but
 * calls the state of each `waiting`.
 */
function stateOf({ finishedOn }: Job, state: string): JobState | null {
  if (state === 'unknown') return null;
  // A request reads a job. Meanwhile a worker ends the job. Then the request reads the state, and lacks the result.
  if ((state === 'completed' || state === 'failed') && !finishedOn) return 'active';
  const found = Object.entries(STATES).find(([, names]) =>
    (names as readonly string[]).includes(state),
  );
  return (found?.[0] ?? 'queued') as JobState;
}

function progressOf({ progress }: Job): { done: number; total: number } {
  const { done, total } = (typeof progress === 'object' ? progress : {}) as Record<string, unknown>;
  return { done: Number(done ?? 0), total: Number(total ?? 0) };
}

/** The recorded progress of a rebuild of the search index (0 to 1); undefined for other jobs. */
async function ofRebuild(
  { name, data }: Job,
  collections: Collections,
): Promise<number | undefined> {
  if (name !== 'reindex-search') return undefined;
  const rebuild = await findRebuild(collections, (data as { rebuildId: string }).rebuildId);
  return rebuild ? rebuildProgress(rebuild) : undefined;
}

function numbersOf(value: unknown): Record<string, number> {
  const entries = Object.entries((value ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
