import type { IndexerDeps } from '../deps.js';
import { projectThread } from './projectThread.js';
import { markAgedMembers, refreshMembers } from './refreshMembers.js';
import { refreshThreads } from './refreshThreads.js';
import { refreshServers } from './refreshServers.js';
import { refreshUsers } from './refreshUsers.js';

const BATCH = 50;

/**
 * Builds threads whose mark is older than `olderThanMs`: a job that should have done it was lost, or many threads were
 * marked at once. Returns true when there may be more.
 */
export async function sweepPending(deps: IndexerDeps, olderThanMs: number): Promise<boolean> {
  const before = new Date(Date.now() - olderThanMs);
  const marked = await deps.collections.threads
    .find({ pending: { $exists: true }, pendingAt: { $lte: before } }, { projection: { _id: 1 } })
    .limit(BATCH)
    .toArray();
  const results = await Promise.allSettled(marked.map(({ _id }) => projectThread(deps, _id)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return marked.length === BATCH;
}

/**
 * Counts again what is marked dirty: first who has a part in changed threads, then people, then (when none is left) their profiles, then servers, so that
 * each is done once for many changes. Returns true when there may be more.
 */
export async function refreshDirty(deps: IndexerDeps, now = new Date()): Promise<boolean> {
  await markAgedMembers(deps, now);
  if ((await refreshThreads(deps)) > 0) return true;
  if ((await refreshMembers(deps, now)) > 0) return true;
  if ((await refreshUsers(deps)) > 0) return true;
  return (await refreshServers(deps)) > 0;
}
