import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from 'bullmq';
import { CliError } from './cliError.js';
import type { Archive } from './openArchive.js';
import { safeText } from './safeText.js';

const POLL_MS = 200;

/**
 * Waits until a job has ended, and reports its progress. Resolves with null when it is done, else with why it failed.
 */
export async function waitForJob(
  { queue }: Pick<Archive, 'queue'>,
  jobId: string,
  tell: (job: Job) => Promise<void> = () => Promise.resolve(),
): Promise<string | null> {
  for (;;) {
    const job = (await queue.getJob(jobId)) as Job | undefined;
    if (!job) {
      throw new CliError(
        `The job ${jobId} is not in the queue any more, as Redis was emptied or somebody removed the job: ask for it again`,
      );
    }
    await tell(job);
    if (job.finishedOn) return (await job.isFailed()) ? safeText(job.failedReason) : null;
    await pause(POLL_MS);
  }
}
