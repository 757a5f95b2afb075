import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import { announceErasure, erasedPeople } from '../../../shared/store/erasures.js';
import type { IndexerDeps } from '../deps.js';
import { settle } from '../project/settle.js';
import { countPeople } from '../project/sweep.js';
import { removeUploadsOf } from '../quarantine/removeUploadsOf.js';
import { eraseEverywhere } from '../records/eraseEverywhere.js';
import { clearErasing, erasingThreads } from '../records/erasingMarks.js';
import { forgetAccount } from '../records/forgetAccount.js';
import { removeIfEmptied } from '../records/removeIfEmptied.js';
import { slices } from '../records/slices.js';
import { raiseRevisions } from '../records/threadRevision.js';
import { dirtyMember, dirtyUser, markDirty } from '../stores/dirtyMarks.js';
import { forgetPeople } from '../stores/forgetPeople.js';
import type { Report } from '../report.js';

/** What an erasure came to. Of one that was cut off, its last try tells what was left to it. */
interface Erased {
  /** Threads and messages that changed, those removed included. */
  threads: number;
  messages: number;
  removedThreads: number;
  removedMessages: number;
  profiles: number;
  /** Uploads that had been set aside. */
  files: number;
}

const NOTHING: Erased = {
  ...{ threads: 0, messages: 0, removedThreads: 0, removedMessages: 0, profiles: 0, files: 0 },
};

/**
 * Removes every trace of somebody from records, views, search, caches and uploads that are set aside; then from the
 * erasure itself, which keeps a keyed hash. Cut off anywhere, it begins again and comes to the same end.
 */
export async function eraseUser(
  deps: IndexerDeps,
  { erasureId }: JobPayloads['erase-user'],
  report: Report,
): Promise<Erased> {
  const { collections } = deps;
  const erasure = await collections.erasures.findOne({ _id: erasureId });
  if (!erasure?.userId) return NOTHING;
  const { userId } = erasure;
  // The request may have been cut off before it told anyone.
  await announceErasure(collections);
  const erased = await erasedPeople(collections);
  const erasureIds = await underWay(deps);
  await buildAgain(deps, erasureId);
  const found = await eraseEverywhere(collections, erasure, { erased, erasureIds }, report);
  const { serverIds, ...counts } = found;
  const threadIds = await touchedThreads(deps, erasureId, userId);
  faultPoint('erasureApplied');
  const removedThreads = await removeIfEmptied(collections, threadIds);
  await countWithout(deps, userId, { threadIds, serverIds });
  await forgetPeople(collections, [userId]);
  // What has been marked since the counting: marks of the person among it.
  await countPeople(deps, new Date());
  deps.announcer.announce({ users: [userId] });
  await forgetAccount(collections, userId);
  const files = await removeUploadsOf(deps, userId);
  const others = (await underWay(deps)).filter((id) => id !== erasureId);
  await clearErasing(
    collections.threads,
    erasureIds.filter((id) => !others.includes(id)),
  );
  const done = { $set: { finishedAt: new Date() }, $unset: { userId: '', names: '' } } as const;
  await collections.erasures.updateOne({ _id: erasureId }, done);
  return { ...counts, threads: threadIds.length, removedThreads, files };
}

/** The threads that the erasure has changed, and those that an import has cleaned before it came by. */
async function touchedThreads(
  { collections: { threads, contributions } }: IndexerDeps,
  erasureId: string,
  userId: string,
): Promise<string[]> {
  const changed = await erasingThreads(threads, erasureId);
  // As they were built last.
  const shown = contributions.find({ userId, messages: { $gt: 0 } });
  const showing = await shown.project<{ threadId: string }>({ threadId: 1 }).toArray();
  return [...new Set([...changed, ...showing.map(({ threadId }) => threadId)])];
}

/** Ids of the erasures that are not done. */
async function underWay({ collections }: IndexerDeps): Promise<string[]> {
  const waiting = { userId: { $exists: true } };
  const found = await collections.erasures.find(waiting, { projection: { _id: 1 } }).toArray();
  return found.map(({ _id }) => _id);
}

/** What a try that was cut off had marked may have been built before its messages changed. */
async function buildAgain({ collections }: IndexerDeps, erasureId: string): Promise<void> {
  const marked = await erasingThreads(collections.threads, erasureId);
  for (const some of slices(marked)) await raiseRevisions(collections.threads, some);
}

/** Builds the threads and counts again, the person's own rows and profile included. */
async function countWithout(
  deps: IndexerDeps,
  userId: string,
  touched: { threadIds: string[]; serverIds: string[] },
): Promise<void> {
  const { threadIds } = touched;
  const { contributions, members, dirty, threads } = deps.collections;
  const filters = slices(threadIds).map((some) => ({ _id: { $in: some } }));
  const places: string[][] = await Promise.all([
    contributions.distinct('serverId', { userId }),
    members.distinct('serverId', { userId }),
    ...filters.map((filter) => threads.distinct('serverId', filter)),
  ]);
  const serverIds = [...new Set([...touched.serverIds, ...places.flat()])];
  await markDirty(dirty, [
    dirtyUser(userId),
    ...serverIds.map((serverId) => dirtyMember(serverId, userId)),
  ]);
  await settle(deps, filters, serverIds);
}
