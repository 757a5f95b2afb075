import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from 'bullmq';
import { CliError } from './cliError.js';
import type { Archive } from './openArchive.js';
import { safeText } from './safeText.js';

const POLL_MS = 200;

/** What is told while a job is waited for. */
export interface Told {
  /** How far it is. */
  job(job: Job): Promise<void>;
  /** Nobody can see how far it is, as Redis does not answer. */
  away(): Promise<void>;
}

/**
 * Waits until a job has ended, also while Redis is away. Resolves with null when it is done, else with why it failed.
 * Throws CliError when it is not in the queue any more.
 */
export async function waitForJob(
  { queue }: Pick<Archive, 'queue'>,
  jobId: string,
  told: Told,
): Promise<string | null> {
  for (;;) {
    try {
      const job = (await queue.getJob(jobId)) as Job | undefined;
      if (!job) {
        throw new CliError(
          `The job ${jobId} is not in the queue any more, as Redis was emptied or somebody removed the job: ask for it again`,
        );
      }
      await told.job(job);
      if (job.finishedOn) return (await job.isFailed()) ? safeText(job.failedReason) : null;
    } catch (error) {
      if (error instanceof CliError) throw error;
      await told.away();
    }
    await pause(POLL_MS);
  }
}
