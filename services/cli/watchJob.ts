import type { Job } from 'bullmq';
import { removalCause, type RemovalName } from '../../shared/jobs/removalCause.js';
import type { Collections } from '../../shared/store/collections.js';
import { mirrorStats } from '../../shared/store/mirrorStats.js';
import { LATE_KINDS, NEVER } from '../../shared/store/work.js';
import { CliError } from './cliError.js';
import { createProgress } from './progress.js';
import { safeText } from './safeText.js';
import { waitForWork, type Watched } from './waitForWork.js';

const SLOW_FILE = 'That may take five minutes while another file is downloaded slowly';

/** What a job has come to. `error` says why it failed; it is null where the job gave a `result`. */
export interface JobEnd {
  error: string | null;
  result: unknown;
}

/**
 * Waits until a job has ended. Meanwhile it shows the job's progress, and says what the job waits for. Throws CliError
 * when the job is lost.
 */
export async function watchJob(archive: Watched, jobId: string, label: string): Promise<JobEnd> {
  const progress = createProgress(label, 1);
  const work = {
    async look(): Promise<{ done: number; outcome?: JobEnd }> {
      const job = await findJob(archive, jobId);
      const done = shareOf(job);
      if (!job.finishedOn) return { done };
      const error = (await job.isFailed()) ? job.failedReason : null;
      return { done, outcome: { error, result: job.returnvalue } };
    },
    why: () => whyStill(archive, jobId),
    isAtOnce: true,
  };
  try {
    return await waitForWork(archive, work, progress);
  } finally {
    progress.stop();
  }
}

async function findJob({ producer }: Watched, jobId: string): Promise<Job> {
  const job = (await producer.queue.getJob(jobId)) as Job | undefined;
  if (job) return job;
  throw new CliError(
    `The job ${jobId} is not in the queue any more, as Redis was emptied or somebody removed the job: ask for it again`,
  );
}

function shareOf({ progress }: Job): number {
  if (typeof progress !== 'object') return 0;
  const { done, total } = progress as { done?: number; total?: number };
  return total ? (done ?? 0) / total : 0;
}

/** Why a job has not gone on for a while; null where no reason is known. */
async function whyStill(archive: Watched, jobId: string): Promise<string | null> {
  const job = await findJob(archive, jobId);
  if (job.attemptsMade > 0 && job.failedReason)
    return safeText(`The job failed, and is tried again: ${job.failedReason}`);
  const state = await job.getState();
  if (state === 'waiting')
    return 'The job waits for its turn: those that were filed before come first, such as files to import';
  // The job of a sync is delayed between two checks of whether the sync has ended. So only an active job can be stuck.
  if (state !== 'active') return null;
  const { collections } = archive.mongo;
  const waiting = { kind: { $nin: [...LATE_KINDS] }, due: { $ne: NEVER } };
  const mark = await collections.work.findOne(waiting, { projection: { _id: 1 } });
  if (mark)
    return 'The job waits until what was changed is built and counted, such as by an import';
  return whyMirrored(collections, job);
}

/** Why copies of files are still there that a deletion or an erasure removes; null where none are. */
async function whyMirrored(
  collections: Collections,
  { name, data }: Pick<Job, 'name' | 'data'>,
): Promise<string | null> {
  const [id = ''] = Object.values(data as Record<string, string>);
  const cause = removalCause(name as RemovalName, id);
  const mark = await collections.work.findOne(
    { kind: 'mirror', causes: cause },
    { projection: { _id: 1 } },
  );
  if (!mark) return null;
  const stats = await mirrorStats(collections);
  return `The job waits until copies of files are removed from the mirror. ${stats?.problem ?? SLOW_FILE}`;
}
