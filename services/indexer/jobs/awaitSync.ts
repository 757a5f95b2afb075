import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { countThreads, progressOf, threadsIn } from '../../../shared/store/syncProgress.js';
import { syncOf, type SyncRequestRecord } from '../../../shared/store/syncRecords.js';
import { readLease } from '../../../shared/store/syncState.js';
import type { IndexerDeps } from '../deps.js';
import { LookAgain } from '../permanentErrors.js';
import type { Report } from '../report.js';
import { AGAIN_AFTER_MS } from '../sync/fetchThreads.js';
import { NotSynced } from '../sync/syncProblem.js';

/**
 * Each look counts all threads of the place. So the pause before the next look is a tenth of the time since the request,
 * within these bounds (ms).
 */
const SHORTEST_REST_MS = 1_000;
const LONGEST_REST_MS = 30_000;
/**
 * After so long (ms) without a process that speaks to the platform, a request counts as impossible. A process that
 * starts anew or takes over needs much less.
 */
const MOST_UNSERVED_MS = 5 * 60_000;

type Deps = Pick<IndexerDeps, 'collections'>;

/** What became of a request to sync. */
interface Synced {
  threads: number;
  messages: number;
  /**
   * Threads that could not be fetched. The sync goes on to try those that failed for a transient reason. Those with a
   * problem of their own wait until the platform tells something new of them.
   */
  failed: number;
}

/**
 * Looks how far a request to sync has come. Resolves when all of its threads are listed, and each was fetched or tried
 * in vain. Throws LookAgain before that, and NotSynced where the request cannot be done. The job only looks: the sync
 * itself runs outside of the queue.
 */
export async function awaitSync(
  { collections }: Deps,
  { requestId }: JobPayloads['sync'],
  report: Report,
): Promise<Synced> {
  const requests = syncOf(collections.sync, 'request');
  const request = await requests.findOne({ _id: requestId });
  // The request was done by an earlier run of this job, whose end was not recorded.
  if (!request) return { threads: 0, messages: 0, failed: 0 };
  const problem = request.problem ?? (await problemOfSync({ collections }, request));
  if (problem !== null) {
    await requests.deleteOne({ _id: requestId });
    throw new NotSynced(problem);
  }
  const { untried, failed } = await threadsLeft({ collections }, request);
  const { threads, messages } = progressOf(await countThreads(collections, request));
  report(threads.fetched, Math.max(threads.found, 1));
  if (!request.listed || untried > 0) throw new LookAgain(restAfter(request));
  await requests.deleteOne({ _id: requestId });
  return { threads: threads.found - failed, messages: messages.fetched, failed };
}

function restAfter({ at }: SyncRequestRecord): number {
  const tenthMs = Math.round((Date.now() - at.getTime()) / 10);
  return Math.min(Math.max(tenthMs, SHORTEST_REST_MS), LONGEST_REST_MS);
}

/**
 * Counts the threads of a request that are not fetched. `failed` of them have a problem, or have failed since the request
 * was made. `untried` of them are still to be tried.
 */
async function threadsLeft(
  { collections }: Deps,
  request: SyncRequestRecord,
): Promise<{ untried: number; failed: number }> {
  const place = { kind: 'thread', ...threadsIn(request) };
  // Each of the two has an index that holds nothing else. MongoDB only looks for it where they stand apart.
  const left = {
    $or: [
      { ...place, todo: { $in: ['new', 'all'] } },
      { ...place, problem: { $gt: '' } },
    ],
  };
  const failedAt = { $subtract: ['$dueAt', AGAIN_AFTER_MS] };
  const sums = await syncOf(collections.sync, 'thread')
    .aggregate<{ untried: number; failed: number }>([
      { $match: left },
      // MongoDB sorts a missing value before every text and every date.
      {
        $set: {
          hasFailed: { $or: [{ $gt: ['$problem', null] }, { $gte: [failedAt, request.at] }] },
        },
      },
      {
        $group: {
          _id: null,
          untried: { $sum: { $cond: ['$hasFailed', 0, 1] } },
          failed: { $sum: { $cond: ['$hasFailed', 1, 0] } },
        },
      },
    ])
    .next();
  return { untried: sums?.untried ?? 0, failed: sums?.failed ?? 0 };
}

/**
 * Why nothing can be synced; null while all is well, or may soon be. All times are by MongoDB's clock, because another
 * worker, whose clock differs, may look next.
 */
async function problemOfSync(deps: Deps, request: SyncRequestRecord): Promise<string | null> {
  const lease = await readLease(deps.collections);
  if (lease?.problem) return lease.problem;
  const { _id, unservedSince } = request;
  const requests = syncOf(deps.collections.sync, 'request');
  if (lease?.isHeld) {
    if (unservedSince) await requests.updateOne({ _id }, { $unset: { unservedSince: '' } });
    return null;
  }
  const since = { $ifNull: ['$unservedSince', '$$NOW'] };
  const isLong = { $gt: [{ $subtract: ['$$NOW', '$unservedSince'] }, MOST_UNSERVED_MS] };
  const noted = await requests.findOneAndUpdate({ _id }, [{ $set: { unservedSince: since } }], {
    returnDocument: 'after',
    projection: { isLong },
  });
  return (noted as { isLong?: boolean } | null)?.isLong ? NOBODY_SYNCS : null;
}

const NOBODY_SYNCS =
  'No indexer has spoken to the platform for five minutes: start one with DISCORD_BOT_TOKEN';
