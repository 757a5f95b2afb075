import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { AT_ONCE, isQuarantined, markId } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { freeMark, setMarks } from '../work/claims.js';
import { importFile } from './importFile.js';

/**
 * Releases something from quarantine, as if it had never failed. A file is imported at once, and the background loop
 * does anything else soon after. What fails again is quarantined again.
 */
export async function retryQuarantined(
  deps: IndexerDeps,
  { quarantineId }: JobPayloads['retry-quarantined'],
): Promise<{ retried: number }> {
  const mark = await deps.collections.work.findOne({ 'failure.id': quarantineId });
  if (!mark?.failure) return { retried: 0 };
  const { kind, subject, failure } = mark;
  const { threadId } = failure;
  if (failure.kind === 'work') await release(deps, mark._id);
  if (threadId !== null) {
    await release(deps, markId('thread', threadId));
    await setMarks(deps, 'thread', [threadId], { whole: true });
  }
  // The import of a file includes the build of its thread. So both begin anew.
  if (kind === 'file') await retryFile(deps, subject);
  return { retried: 1 };
}

/** Lets a mark be done as if it had never failed. */
async function release({ commit }: IndexerDeps, _id: string): Promise<void> {
  await commit({
    reads: { work: [_id] },
    decide(documents) {
      const mark = documents.get('work', _id);
      if (!mark) return;
      const { tries: _tries, ...rest } = mark;
      documents.put('work', { ...rest, due: isQuarantined(mark) ? AT_ONCE : mark.due });
    },
  });
}

async function retryFile(deps: IndexerDeps, uploadId: string): Promise<void> {
  const _id = markId('file', uploadId);
  const importId = await deps.commit({
    reads: { importFiles: [uploadId], work: [_id] },
    decide(documents) {
      const file = documents.get('importFiles', uploadId);
      const mark = documents.get('work', _id);
      if (file?.state === 'rejected' && mark && isQuarantined(mark)) {
        const { reason: _reason, finishedAt: _finishedAt, ...rest } = file;
        documents.put('importFiles', { ...rest, state: 'queued', queuedAt: new Date() });
        freeMark(documents, mark);
      }
      return file?.importId;
    },
  });
  if (importId !== undefined) await importFile(deps, { uploadId, importId });
}
