import type { QueuedJob } from '../../../shared/contract/admin.js';
import type { JobName, JobPayloads } from '../../../shared/jobs/jobs.js';
import type { Producer } from '../../../shared/jobs/producer.js';
import { withQueue } from './withQueue.js';

/** Files a job, or joins a job for the same thing that waits. Throws UNAVAILABLE. */
export async function fileJob<Name extends JobName>(
  producer: Pick<Producer, 'add'>,
  name: Name,
  payload: JobPayloads[Name],
): Promise<QueuedJob> {
  return queuedJob(await withQueue(() => producer.add(name, payload)));
}

/** The answer once a job is filed. */
export function queuedJob(jobId: string): QueuedJob {
  return { jobId, status: 'queued', statusUrl: `/admin/jobs/${jobId}` };
}
