import type { Job } from 'bullmq';
import type { Archive } from './openArchive.js';
import { createProgress } from './progress.js';
import { waitForJob } from './waitForJob.js';

const STEPS = 1_000;

/** Waits until a job has ended, and shows its progress. Resolves with its error, or with null and its result. */
export async function watchJob(
  archive: Pick<Archive, 'queue'>,
  jobId: string,
  label: string,
): Promise<{ error: string | null; result: unknown }> {
  const progress = createProgress(label, STEPS, (done) => `${Math.floor(done / 10)}%`);
  let shown = 0;
  let result: unknown = null;
  try {
    const error = await waitForJob(archive, jobId, (job) => {
      const steps = stepsOf(job);
      progress.advance(Math.max(0, steps - shown));
      shown = Math.max(shown, steps);
      result = job.returnvalue;
    });
    return { error, result };
  } finally {
    progress.stop();
  }
}

function stepsOf({ progress }: Job): number {
  if (typeof progress !== 'object') return 0;
  const { done, total } = progress as { done?: number; total?: number };
  return total ? Math.floor(((done ?? 0) / total) * STEPS) : 0;
}
