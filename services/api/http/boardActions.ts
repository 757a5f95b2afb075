import type { AppControllerRoute } from '@bull-board/api/typings/app';
import type { Job, Queue } from 'bullmq';
import { AppError } from '../../../shared/contract/errors.js';
import type { RouteContext } from './mount.js';

/**
 * The changes that the board may make, by route. The library has more: it could add jobs, change their data and empty
 * the queue.
 */
const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['/api/queues/pause', 'pause'],
  ['/api/queues/resume', 'resume'],
  ['/api/queues/:queueName/pause', 'pause'],
  ['/api/queues/:queueName/resume', 'resume'],
  ['/api/queues/:queueName/promote', 'promote'],
  ['/api/queues/:queueName/retry/:queueStatus', 'retry'],
  ['/api/queues/:queueName/clean/:queueStatus', 'clean'],
  ['/api/queues/:queueName/:jobId/promote', 'promote'],
  ['/api/queues/:queueName/:jobId/retry', 'retry'],
  ['/api/queues/:queueName/:jobId/clean', 'clean'],
]);
/** The states of jobs that can be cleaned all at once. */
const CLEANABLE = ['completed', 'wait', 'delayed', 'failed', 'prioritized'];

/**
 * Notes a change of the board and its job for the audit trail, before it is made. Throws FORBIDDEN, VALIDATION_ERROR,
 * and CONFLICT where the job's state does not allow the change.
 */
export async function noteBoardAction(
  ctx: RouteContext,
  { route }: AppControllerRoute,
  queue: Queue,
): Promise<void> {
  const action = ACTIONS.get(String(route));
  if (action === undefined) {
    const message = 'Only retry, promote, clean, pause and resume are allowed here';
    throw new AppError('FORBIDDEN', message);
  }
  const { jobId, queueStatus } = ctx.params;
  if (action === 'clean' && queueStatus !== undefined && !CLEANABLE.includes(queueStatus)) {
    throw new AppError('VALIDATION_ERROR', `Only these can be cleaned: ${CLEANABLE.join(', ')}`);
  }
  // The job is read before the change, because cleaning removes it.
  const job = jobId === undefined ? undefined : ((await queue.getJob(jobId)) as Job | undefined);
  const jobName = job === undefined ? {} : { jobName: job.name };
  Object.assign(ctx.state['given'] as object, { action, ...jobName });
  if (job) await refuseWrongState(job, action);
}

/**
 * Throws CONFLICT where the job is in another state than the page showed. The queue would throw an error of its own.
 */
async function refuseWrongState(job: Job, action: string): Promise<void> {
  if (action !== 'promote' && action !== 'clean') return;
  const state = await job.getState();
  if (action === 'promote' ? state === 'delayed' : state !== 'active') return;
  const done = action === 'promote' ? 'promoted' : 'cleaned';
  throw new AppError('CONFLICT', `A job that is ${state} cannot be ${done}`);
}
