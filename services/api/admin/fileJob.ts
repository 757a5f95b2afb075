import type { QueuedJob } from '../../../shared/contract/admin.js';
import type { JobName, JobPayloads } from '../../../shared/jobs/jobs.js';
import { withQueue, type QueueDeps } from './withQueue.js';

/** Files a job, or joins a job for the same thing that waits. Throws UNAVAILABLE. */
export async function fileJob<Name extends JobName>(
  deps: QueueDeps,
  name: Name,
  payload: JobPayloads[Name],
): Promise<QueuedJob> {
  return queuedJob(await withQueue(deps, () => deps.producer.add(name, payload)));
}

/** The answer once a job is filed. */
export function queuedJob(jobId: string): QueuedJob {
  return { jobId, status: 'queued', statusUrl: `/admin/jobs/${jobId}` };
}
