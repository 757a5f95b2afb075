import { counted } from '../numbers.js';
import type { Archive } from '../openArchive.js';
import { requireMongo, requireQueue } from '../reachable.js';
import type { Result } from '../runCommand.js';
import { watchJob } from '../watchJob.js';
import { warnWithoutIndexer } from './warnWithoutIndexer.js';

/** Has every view built again from the records, and waits for its end when `wait`. */
export async function reindexViews(archive: Archive, { wait }: { wait: boolean }): Promise<Result> {
  await requireMongo(archive);
  await requireQueue(archive);
  const jobId = await archive.producer.add('reindex-views', {});
  if (!wait) {
    return { jobId, json: { jobId, state: 'queued' }, lines: [`Queued as ${jobId}`], ok: true };
  }
  await warnWithoutIndexer(archive);
  return waitForViews(archive, jobId);
}

async function waitForViews(archive: Archive, jobId: string): Promise<Result> {
  const { error, result } = await watchJob(archive, jobId, 'reindex');
  if (error !== null) {
    const json = { jobId, state: 'failed', error };
    return { jobId, json, lines: [`Failed: ${error}`], ok: false };
  }
  const { threads = 0 } = result as { threads?: number };
  const json = { jobId, state: 'done', threads };
  return { jobId, json, lines: [`Built anew: ${counted(threads, 'thread')}`], ok: true };
}
