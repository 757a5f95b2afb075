import type { QueuedJob } from '../../../shared/contract/admin.js';
import type { JobName, JobPayloads } from '../../../shared/jobs/jobs.js';
import { withQueue, type QueueDeps } from './withQueue.js';

/** Files a job. Where a job for the same thing still waits, returns that one instead. Throws UNAVAILABLE. */
export async function fileJob<Name extends JobName>(
  deps: QueueDeps,
  name: Name,
  payload: JobPayloads[Name],
): Promise<QueuedJob> {
  return queuedJob(await withQueue(deps, () => deps.producer.add(name, payload)));
}

/** The body of the answer for a job that was filed. */
export function queuedJob(jobId: string): QueuedJob {
  return { jobId, status: 'queued', statusUrl: `/admin/jobs/${jobId}` };
}
