import { CliError } from './cliError.js';
import { explainAway } from './explainAway.js';
import type { Archive } from './openArchive.js';
import { messageOf, requireQueue } from './reachable.js';
import type { Result } from './runCommand.js';
import { watchJob } from './watchJob.js';

const RECORDED =
  'What was asked for may be recorded already. Then it is done all the same, once the stores answer. Run the command again to wait for it';

/** The job of a command. */
export interface CommandJob {
  /** The label of its progress. */
  label: string;
  /** Files it, and resolves with its id. */
  file(): Promise<string>;
  /** Whether `file` first records the work in MongoDB. Then it is done even where its job could not be filed. */
  isRecorded?: boolean;
  /** Makes the command's result from the job's. */
  resultOf(result: unknown, jobId: string): Result;
}

/**
 * Files the job of a command. With `wait`, it waits for the end. Where the job fails, the result is not ok. Throws
 * CliError while the queue is away, and files nothing then.
 */
export async function runJob(archive: Archive, job: CommandJob, wait: boolean): Promise<Result> {
  await requireQueue(archive);
  const jobId = await (job.isRecorded ? fileRecorded(archive, job) : job.file());
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

/**
 * Files the job of recorded work. Where a store goes away meanwhile, the work may be recorded without a job. An indexer
 * files one later. So the error says that the work may still be done. Throws CliError.
 */
async function fileRecorded(archive: Archive, job: CommandJob): Promise<string> {
  try {
    return await job.file();
  } catch (error) {
    throw new CliError(`${messageOf(await explainAway(archive, error))}. ${RECORDED}`);
  }
}
