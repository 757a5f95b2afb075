import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import type { IndexerDeps } from '../deps.js';
import { importFile } from './importFile.js';
import { AT_ONCE, markId, NEVER } from '../../../shared/store/work.js';
import { setMarks } from '../work/claims.js';
import { MOST_TRIES } from '../work/runMarks.js';

/**
 * Has what was quarantined tried again, as if it were new: a file at once, a thread or document soon after. What fails
 * again is quarantined again.
 */
export async function retryQuarantined(
  deps: IndexerDeps,
  { quarantineId }: JobPayloads['retry-quarantined'],
): Promise<{ retried: number }> {
  const { quarantine } = deps.collections;
  const record = await quarantine.findOne({ _id: quarantineId });
  if (!record) return { retried: 0 };
  const { kind, subject, threadId } = record;
  if (kind === 'work') await release(deps, subject);
  if (threadId !== null) {
    await release(deps, markId('thread', threadId));
    await setMarks(deps, 'thread', [threadId]);
  }
  // The build of its thread counts as part of its import: both begin anew.
  if (kind === 'file') await retryFile(deps, subject);
  return { retried: 1 };
}

/** Lets a mark be done as if it had never failed. */
async function release({ collections: { work } }: IndexerDeps, _id: string): Promise<void> {
  const due = { $cond: [{ $eq: ['$due', NEVER] }, AT_ONCE, '$due'] };
  await work.updateOne({ _id }, [{ $set: { due, tries: '$$REMOVE', failedToken: '$$REMOVE' } }]);
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
