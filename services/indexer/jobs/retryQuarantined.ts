import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import type { IndexerDeps } from '../deps.js';
import { forgetTries, MOST_TRIES } from '../quarantine/tries.js';
import { importFile } from './importFile.js';
import { raiseRevisions } from '../records/threadRevision.js';

/**
 * Has what was set aside tried again, as if it were new: a file at once, a thread or document soon after. What fails
 * again is set aside again.
 */
export async function retryQuarantined(
  deps: IndexerDeps,
  { quarantineId }: JobPayloads['retry-quarantined'],
): Promise<{ retried: number }> {
  const { quarantine, threads } = deps.collections;
  const record = await quarantine.findOne({ _id: quarantineId });
  if (!record) return { retried: 0 };
  const { kind, subject, threadId } = record;
  if (kind === 'file') await retryFile(deps, subject);
  if (kind === 'thread') await forgetTries(threads, subject);
  if (threadId !== null) await raiseRevisions(threads, [threadId]);
  return { retried: 1 };
}

async function retryFile(deps: IndexerDeps, uploadId: string): Promise<void> {
  const { importFiles } = deps.collections;
  await importFiles.updateOne(
    { _id: uploadId, state: 'rejected', tries: { $gte: MOST_TRIES } },
    {
      $set: { state: 'queued', queuedAt: new Date() },
      $unset: { reason: '', finishedAt: '', running: '', tries: '' },
    },
  );
  const file = await importFiles.findOne({ _id: uploadId });
  if (file) await importFile(deps, { uploadId, importId: file.importId });
}
