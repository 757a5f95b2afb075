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
/** How a change is named once it is made, and which states of a job allow it. */
const CHANGES: ReadonlyMap<string, { done: string; isAllowedIn: (state: string) => boolean }> =
  new Map([
    ['promote', { done: 'promoted', isAllowedIn: (state) => state === 'delayed' }],
    ['retry', { done: 'retried', isAllowedIn: (state) => /^(completed|failed)$/.test(state) }],
    ['clean', { done: 'cleaned', isAllowedIn: (state) => state !== 'active' }],
  ]);
/** The states in which all jobs can be changed at once, by change. */
const STATES_AT_ONCE: ReadonlyMap<string, readonly string[]> = new Map([
  ['retry', ['completed', 'failed']],
  ['clean', ['completed', 'wait', 'delayed', 'failed', 'prioritized']],
]);

/**
 * Notes a change of the board and its job for the audit trail, before it is made. Throws FORBIDDEN for a change that is
 * not allowed here, and NOT_FOUND for an unknown job. Throws VALIDATION_ERROR where the change cannot be made to all
 * jobs of a state, and CONFLICT where the state of its one job does not allow it.
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
  if (queueStatus !== undefined) refuseWrongStates(queueStatus, action);
  // The job is read before the change, because cleaning removes it.
  const job = jobId === undefined ? undefined : ((await queue.getJob(jobId)) as Job | undefined);
  const jobName = job === undefined ? {} : { jobName: job.name };
  Object.assign(ctx.state['given'] as object, { action, ...jobName });
  if (jobId === undefined) return;
  if (!job) throw new AppError('NOT_FOUND', 'Job not found');
  await refuseWrongState(job, action);
}

/** Throws VALIDATION_ERROR where a change cannot be made to all jobs of a state at once. */
function refuseWrongStates(state: string, action: string): void {
  const { done } = CHANGES.get(action)!;
  const states = STATES_AT_ONCE.get(action)!;
  if (states.includes(state)) return;
  throw new AppError('VALIDATION_ERROR', `Only these can be ${done}: ${states.join(', ')}`);
}

/** Throws CONFLICT where the state of a job does not allow a change. It may have changed since the page showed it. */
async function refuseWrongState(job: Job, action: string): Promise<void> {
  const { done, isAllowedIn } = CHANGES.get(action)!;
  const state = await job.getState();
  if (isAllowedIn(state)) return;
  throw new AppError('CONFLICT', `A job that is ${state} cannot be ${done}`);
}
