import type { ThreadRecord } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import { countTries } from '../quarantine/tries.js';
import { projectThread } from './projectThread.js';
import { markAgedMembers, refreshMembers } from './refreshMembers.js';
import { refreshThreads } from './refreshThreads.js';
import { refreshServers } from './refreshServers.js';
import { refreshUsers } from './refreshUsers.js';

const BATCH = 50;

/**
 * Builds threads whose mark is older than `olderThanMs`: a job that should have done it was lost, or many threads were
 * marked at once. MongoDB's clock counts, whatever this process's says, and a mark from its future, which a clock that
 * was put back leaves, does not wait for that future. Those whose build did not end before come last, and one by one.
 * Resolves with true when it built some, so that there may be more.
 */
export async function sweepPending(deps: IndexerDeps, olderThanMs: number): Promise<boolean> {
  const age = { $abs: { $subtract: ['$$NOW', '$pendingAt'] } };
  const marked = await deps.collections.threads
    .find(
      { pending: { $exists: true }, $expr: { $gte: [age, olderThanMs] } },
      { projection: { tries: 1 } },
    )
    .limit(BATCH)
    .toArray();
  const fresh = marked.filter(({ tries }) => tries === undefined).map(({ _id }) => _id);
  await countTries(deps.collections.threads, fresh);
  const first = await Promise.allSettled(
    fresh.map((threadId) => projectThread(deps, threadId, { counted: true })),
  );
  const again = await Promise.allSettled(
    leastTried(marked).map((threadId) => projectThread(deps, threadId)),
  );
  const results = [...first, ...again];
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return marked.length > 0;
}

/** Whether any thread waits to be built, however new its mark. */
export async function hasPending({
  collections,
}: Pick<IndexerDeps, 'collections'>): Promise<boolean> {
  const pending = { pending: { $exists: true } };
  return (await collections.threads.findOne(pending, { projection: { _id: 1 } })) !== null;
}

/** Threads that were tried before, those first that are least suspect. */
function leastTried(marked: Pick<ThreadRecord, '_id' | 'tries'>[]): string[] {
  return marked
    .flatMap(({ _id, tries }) => (tries === undefined ? [] : [{ _id, tries }]))
    .sort((left, right) => left.tries - right.tries)
    .map(({ _id }) => _id);
}

/**
 * Counts again what is marked dirty: first who has a part in changed threads, then people, then (when none is left)
 * their profiles, then servers, so that each is done once for many changes. Of marks set after `by` nothing is done:
 * where changes never stop, profiles and servers would never come. Returns true when there may be more.
 */
export async function refreshDirty(
  deps: IndexerDeps,
  { now = new Date(), by }: { now?: Date; by?: Date } = {},
): Promise<boolean> {
  await markAgedMembers(deps, now);
  if (!(await deps.collections.dirty.findOne({}, { projection: { _id: 1 } }))) return false;
  if (await refreshPeople(deps, { now, by })) return true;
  return (await refreshServers(deps, by)) > 0;
}

/** The same of all but servers. */
async function refreshPeople(
  deps: IndexerDeps,
  { now, by }: { now: Date; by?: Date | undefined },
): Promise<boolean> {
  if ((await refreshThreads(deps, by)) > 0) return true;
  if ((await refreshMembers(deps, now, by)) > 0) return true;
  return (await refreshUsers(deps, by)) > 0;
}

/** Counts people until nothing of them that was marked by then is left, whatever has been marked since. */
export async function countPeople(deps: IndexerDeps, by: Date): Promise<void> {
  while (await refreshPeople(deps, { now: new Date(), by })) continue;
}

/**
 * A round of counting: a step of what was marked by the time the last step found nothing of that kind, then, whatever
 * their clocks said, of all that is left. Returns true when there may be more.
 */
export function createCounting(deps: IndexerDeps): () => Promise<boolean> {
  let by = new Date();
  return async () => {
    if (await refreshDirty(deps, { by })) return true;
    by = new Date();
    return refreshDirty(deps);
  };
}
