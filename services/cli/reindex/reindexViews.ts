import type { Job } from 'bullmq';
import { counted } from '../numbers.js';
import type { Archive } from '../openArchive.js';
import { createProgress } from '../progress.js';
import { requireMongo, requireQueue } from '../reachable.js';
import type { Result } from '../runCommand.js';
import { waitForJob } from '../waitForJob.js';
import { warnWithoutIndexer } from './warnWithoutIndexer.js';

const STEPS = 1_000;

/** Has every view built again from the records, and waits for its end when told to. */
export async function reindexViews(archive: Archive, { wait }: { wait: boolean }): Promise<Result> {
  await requireMongo(archive);
  await requireQueue(archive);
  const jobId = await archive.producer.add('reindex-views', {});
  if (!wait) {
    return { jobId, json: { jobId, state: 'queued' }, lines: [`Queued as ${jobId}`], ok: true };
  }
  archive.startIndexer();
  await warnWithoutIndexer(archive);
  return waitForViews(archive, jobId);
}

async function waitForViews(archive: Archive, jobId: string): Promise<Result> {
  const progress = createProgress('reindex', STEPS, (done) => `${Math.floor(done / 10)}%`);
  let shown = 0;
  let threads = 0;
  try {
    const error = await waitForJob(archive, jobId, (job) => {
      const steps = stepsOf(job);
      progress.advance(Math.max(0, steps - shown));
      shown = Math.max(shown, steps);
      threads = (job.returnvalue as { threads?: number } | null)?.threads ?? 0;
    });
    if (error !== null) {
      const json = { jobId, state: 'failed', error };
      return { jobId, json, lines: [`Failed: ${error}`], ok: false };
    }
  } finally {
    progress.stop();
  }
  const json = { jobId, state: 'done', threads };
  return { jobId, json, lines: [`Built anew: ${counted(threads, 'thread')}`], ok: true };
}

function stepsOf({ progress }: Job): number {
  if (typeof progress !== 'object') return 0;
  const { done, total } = progress as { done?: number; total?: number };
  return total ? Math.floor(((done ?? 0) / total) * STEPS) : 0;
}
