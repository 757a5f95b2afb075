import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from 'bullmq';
import { CliError } from './cliError.js';
import type { Archive } from './openArchive.js';
import { safeText } from './safeText.js';

const POLL_MS = 200;

/** What somebody who waits for a job is told. */
interface Told {
  /** How it stands, at each look. */
  job: (job: Job) => Promise<void>;
  /** It could not be looked at, as while Redis restarts. The job goes on, so it is looked at again. */
  failure: (error: unknown) => Promise<void>;
}

/**
 * Waits until a job has ended, and reports its progress. Resolves with null when it is done, else with why it failed.
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
      await told.failure(error);
    }
    await pause(POLL_MS);
  }
}
