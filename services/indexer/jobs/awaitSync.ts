import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { stateOf } from '../../../shared/store/state.js';
import { syncProgress } from '../../../shared/store/syncProgress.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import type { IndexerDeps } from '../deps.js';
import { LookAgain } from '../permanentErrors.js';
import type { Report } from '../report.js';
import { NotSynced } from '../sync/syncProblem.js';

const LOOK_EVERY_MS = 1_000;

/**
 * Looks how far a request to sync has come, and ends when all of it is listed and fetched. Throws LookAgain until then,
 * and NotSynced where it cannot be done. The sync itself runs beside the queue.
 */
export async function awaitSync(
  { collections }: Pick<IndexerDeps, 'collections'>,
  { requestId }: JobPayloads['sync'],
  report: Report,
): Promise<{ threads: number; messages: number }> {
  const requests = syncOf(collections.sync, 'request');
  const request = await requests.findOne({ _id: requestId });
  // It was done before, and its end was not told.
  if (!request) return { threads: 0, messages: 0 };
  const lease = await stateOf(collections.state, 'sync').findOne({ _id: 'sync' });
  const problem = request.problem ?? lease?.problem;
  if (problem) {
    await requests.deleteOne({ _id: requestId });
    throw new NotSynced(problem);
  }
  const { threads, messages } = await syncProgress(collections, request);
  report(threads.fetched, Math.max(threads.found, 1));
  if (!request.listed || threads.fetched < threads.found) throw new LookAgain(LOOK_EVERY_MS);
  await requests.deleteOne({ _id: requestId });
  return { threads: threads.found, messages: messages.fetched };
}
