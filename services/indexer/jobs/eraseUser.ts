import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { removalCause } from '../../../shared/jobs/removalCause.js';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import { eraseFields } from '../../../shared/store/eraseThread.js';
import { announceErasure, erasedPeople } from '../../../shared/store/erasures.js';
import { pagesById } from '../../../shared/store/pagesById.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import type { LoopKind } from '../../../shared/store/work.js';
import { setMarks } from '../work/claims.js';
import { ALL_KINDS, KINDS } from '../work/kinds.js';
import type { IndexerDeps } from '../deps.js';
import { removeUploadsOf } from '../quarantine/removeUploadsOf.js';
import { eraseFileNames } from '../records/eraseFileNames.js';
import { forgetFileNames } from '../records/forgetFileNames.js';
import { forgetAccount } from '../records/forgetAccount.js';
import { slices } from '../records/slices.js';
import type { Report } from '../report.js';
import { findTraces, type Traces } from './findTraces.js';
import { markTraces } from './markTraces.js';
import { settleAndRefresh } from './removal.js';

/** How many marks are read at once. */
const MARKED = 5_000;

/**
 * What an erasure has changed and removed. Where a run was interrupted, the next run counts only what was left to it.
 */
interface Erased {
  /** Threads and messages that changed, those removed included. */
  threads: number;
  messages: number;
  removedThreads: number;
  removedMessages: number;
  profiles: number;
  /** Uploads of quarantined files that were removed. */
  files: number;
}

const NOTHING: Erased = {
  threads: 0,
  messages: 0,
  removedThreads: 0,
  removedMessages: 0,
  profiles: 0,
  files: 0,
};

/**
 * Removes every trace of somebody from records, views, search, caches and quarantined uploads. Last, it removes their
 * id and names from the erasure itself, which keeps keyed hashes. Since the request, nothing that is built shows the
 * person (build/readThread.ts). This job finds what still shows them, and has it built again. The builds take the
 * person out of the records, too. Where the job is interrupted, it begins again and comes to the same end.
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
  const cause = removalCause('erase-user', erasureId);
  // The request may have been interrupted before it announced the erasure.
  await announceErasure(collections);
  const traces = await findTraces(deps, erasure, report);
  await markTraces(deps, traces, cause);
  const unbuilt = `unbuilt-${cause}`;
  for (const kind of ALL_KINDS.filter((one) => KINDS[one].showsPeople)) {
    await markAgain(deps, kind, unbuilt);
  }
  await setMarks(deps, 'person', [userId], { causes: [cause] });
  await setMarks(deps, 'server', traces.serverIds, { causes: [cause] });
  faultPoint('erasureApplied');
  await settleAndRefresh(deps, [cause, unbuilt], traces.serverIds, { users: [userId] });
  await forgetAccount(collections, userId);
  await forgetDigests(collections, traces);
  await cleanNotes(collections);
  const files = await removeUploadsOf(deps, userId);
  await eraseFileNames(collections, traces.names);
  // Threads that the person wrote alone are deleted by now. Their titles leave the names of files, too.
  await forgetFileNames(collections);
  const removedThreads = await countRemoved(deps, traces);
  const done = {
    $set: { finishedAt: new Date() },
    $unset: { userId: '', names: '', since: '' },
  } as const;
  await collections.erasures.updateOne({ _id: erasureId }, done);
  return {
    threads: traces.threadIds.length,
    messages: traces.messages,
    removedThreads,
    removedMessages: traces.removedMessages,
    profiles: traces.profiles,
    files,
  };
}

/**
 * Sets all marks of a kind again, quarantined ones included. Nobody knows whom their last views show. An import may
 * have cleaned the records of a thread that is not built yet. A build may have taken somebody out of a thread whose line
 * in lists and profiles is not built yet. Marks are read in the order of their ids, which never change.
 */
async function markAgain(deps: IndexerDeps, kind: LoopKind, cause: string): Promise<void> {
  const marked = { prefix: `${kind}/`, size: MARKED, projection: { subject: 1 } };
  for await (const marks of pagesById(deps.collections.work, marked)) {
    const subjects = marks.map(({ subject }) => subject);
    await setMarks(deps, kind, subjects, { causes: [cause] });
  }
}

/** Forgets the digests of what the platform told of these threads. It may have told of the person, too. */
async function forgetDigests(
  { sync }: IndexerDeps['collections'],
  { threadIds }: Traces,
): Promise<void> {
  for (const some of slices(threadIds))
    await syncOf(sync, 'thread').updateMany(
      { _id: { $in: some }, kind: 'thread' },
      { $set: { digest: '' } },
    );
}

/** Takes erased people out of the names of servers and channels that the sync has noted. */
async function cleanNotes(collections: IndexerDeps['collections']): Promise<void> {
  const erased = await erasedPeople(collections);
  for (const kind of ['server', 'channel'] as const) {
    const notes = syncOf(collections.sync, kind);
    for await (const { _id, name } of notes.find({ kind }, { projection: { name: 1 } })) {
      const clean = eraseFields({ name }, erased).name;
      if (clean !== name) await notes.updateOne({ _id, name }, { $set: { name: clean } });
    }
  }
}

/** Threads that are gone because the person wrote all of them. */
async function countRemoved(
  { collections: { threads } }: IndexerDeps,
  { threadIds }: Traces,
): Promise<number> {
  let removed = 0;
  for (const some of slices(threadIds)) {
    removed += await threads.countDocuments({ _id: { $in: some }, deleted: true });
  }
  return removed;
}
