import type { VerifyReport, VerifyRequest } from '../../../shared/contract/verify.js';
import type { Archive } from '../openArchive.js';
import type { Result } from '../runCommand.js';
import { runJob } from '../runJob.js';
import { reportLines } from './reportLines.js';

/** Files a verification. With `wait`, it waits for the end. The result is ok where no difference is left. */
export function verifyWhole(
  archive: Archive,
  { wait, ...request }: VerifyRequest & { wait: boolean },
): Promise<Result> {
  const job = {
    label: 'verify',
    file: () => archive.producer.add('verify', request),
    resultOf(result: unknown): Result {
      const report = result as VerifyReport;
      return { json: report, lines: reportLines(report), ok: report.clean };
    },
  };
  return runJob(archive, job, wait);
}
