import type { Job } from 'bullmq';
import { NEVER } from '../../shared/store/work.js';
import { findObstacle } from './findObstacle.js';
import { createObstacleTeller } from './obstacleTeller.js';
import type { Archive } from './openArchive.js';
import { createProgress } from './progress.js';
import { messageOf } from './reachable.js';
import { safeText } from './safeText.js';
import { waitForJob } from './waitForJob.js';

const STEPS = 1_000;

type Watched = Pick<Archive, 'elasticsearch' | 'mongo' | 'producer' | 'queue'>;

/**
 * Waits until a job has ended. Meanwhile it shows the job's progress, and says what the job waits for. `error` says why
 * the job failed; it is null where the job gave a `result`.
 */
export async function watchJob(
  archive: Watched,
  jobId: string,
  label: string,
): Promise<{ error: string | null; result: unknown }> {
  const progress = createProgress(label, STEPS, (done) => `${Math.floor(done / 10)}%`);
  const teller = createObstacleTeller((line) => progress.say(line));
  let shown = 0;
  let result: unknown = null;
  try {
    teller.tell(await findObstacle(archive));
    const error = await waitForJob(archive, jobId, {
      async job(job) {
        const steps = stepsOf(job);
        if (steps > shown) teller.advanced();
        progress.advance(Math.max(0, steps - shown));
        shown = Math.max(shown, steps);
        result = job.returnvalue;
        if (!job.finishedOn) await teller.look(() => whyStill(archive, job));
      },
      failure: (error) =>
        teller.look(async () => (await findObstacle(archive)) ?? messageOf(error)),
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

/** Marks of these kinds may wait for long. No job waits for them. */
const LATE = ['similar', 'mirror'] as const;

/** Why a job has not come further for a while; null where nothing is known. */
async function whyStill(archive: Watched, job: Job): Promise<string | null> {
  const obstacle = await findObstacle(archive);
  if (obstacle !== null) return obstacle;
  if (job.attemptsMade > 0 && job.failedReason)
    return safeText(`The job failed, and is tried again: ${job.failedReason}`);
  const state = await job.getState();
  if (state === 'waiting')
    return 'The job waits for its turn: those that were filed before come first, such as files to import';
  // A sync looks now and then whether it has ended. Its job is delayed meanwhile.
  if (state !== 'active') return null;
  const waiting = { kind: { $nin: [...LATE] }, due: { $ne: NEVER } };
  const { work } = archive.mongo.collections;
  return work.findOne(waiting, { projection: { _id: 1 } }).then(
    (mark) =>
      mark && 'The job waits until what was changed is built and counted, such as by an import',
    (error: unknown) => `MongoDB cannot be reached: ${messageOf(error)}`,
  );
}
