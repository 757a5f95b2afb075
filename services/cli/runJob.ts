import type { Archive } from './openArchive.js';
import { requireQueue } from './reachable.js';
import type { Result } from './runCommand.js';
import { watchJob } from './watchJob.js';

/** The job of a command. */
export interface CommandJob {
  /** The label of its progress. */
  label: string;
  /** Files it, and resolves with its id. */
  file(): Promise<string>;
  /** Makes the command's result from the job's. */
  resultOf(result: unknown, jobId: string): Result;
}

/**
 * Files the job of a command. With `wait`, it waits for the end. Where the job fails, the result is not ok. Throws
 * CliError while the queue is away, and files nothing then.
 */
export async function runJob(archive: Archive, job: CommandJob, wait: boolean): Promise<Result> {
  await requireQueue(archive);
  const jobId = await job.file();
  if (!wait) {
    return { jobId, json: { jobId, state: 'queued' }, lines: [`Queued as ${jobId}`], ok: true };
  }
  const { error, result } = await watchJob(archive, jobId, job.label);
  if (error !== null) {
    const json = { jobId, state: 'failed', error };
    return { jobId, json, lines: [`Failed: ${error}`], ok: false };
  }
  return { jobId, ...job.resultOf(result, jobId) };
}
