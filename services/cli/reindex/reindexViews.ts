import { counted } from '../numbers.js';
import type { Archive } from '../openArchive.js';
import type { Result } from '../runCommand.js';
import { runJob } from '../runJob.js';

/** Asks for all views to be built again from the records. With `wait`, it waits for the end. */
export function reindexViews(archive: Archive, { wait }: { wait: boolean }): Promise<Result> {
  const job = {
    label: 'reindex',
    file: () => archive.producer.add('reindex-views', {}),
    resultOf(result: unknown, jobId: string): Result {
      const { threads = 0 } = result as { threads?: number };
      const json = { jobId, state: 'done', threads };
      return { json, lines: [`Built anew: ${counted(threads, 'thread')}`], ok: true };
    },
  };
  return runJob(archive, job, wait);
}
