import type { VerifyReport, VerifyRequest } from '../../../shared/contract/verify.js';
import type { Archive } from '../openArchive.js';
import { requireMongo, requireQueue } from '../reachable.js';
import { warnWithoutIndexer } from '../reindex/warnWithoutIndexer.js';
import type { Result } from '../runCommand.js';
import { watchJob } from '../watchJob.js';
import { reportLines } from './reportLines.js';

/** Files a verification, and waits for its end when `wait`. Ends well when no difference is left. */
export async function verifyWhole(
  archive: Archive,
  { wait, ...request }: VerifyRequest & { wait: boolean },
): Promise<Result> {
  await requireMongo(archive);
  await requireQueue(archive);
  const jobId = await archive.producer.add('verify', request);
  if (!wait) {
    return { jobId, json: { jobId, state: 'queued' }, lines: [`Queued as ${jobId}`], ok: true };
  }
  await warnWithoutIndexer(archive);
  const { error, result } = await watchJob(archive, jobId, 'verify');
  if (error !== null) {
    const json = { jobId, state: 'failed', error };
    return { jobId, json, lines: [`Failed: ${error}`], ok: false };
  }
  const report = result as VerifyReport;
  return { jobId, json: report, lines: reportLines(report), ok: report.clean };
}
