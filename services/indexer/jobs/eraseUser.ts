import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import { announceErasure } from '../../../shared/store/erasures.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import type { WorkKind } from '../../../shared/store/work.js';
import { setMarks } from '../work/claims.js';
import { KINDS } from '../work/kinds.js';
import { ALL_KINDS } from '../work/runMarks.js';
import type { IndexerDeps } from '../deps.js';
import { removeUploadsOf } from '../quarantine/removeUploadsOf.js';
import { eraseFileNames } from '../records/eraseFileNames.js';
import { forgetFileNames } from '../records/forgetFileNames.js';
import { forgetAccount } from '../records/forgetAccount.js';
import { slices } from '../records/slices.js';
import type { Report } from '../report.js';
import { findTraces, type Traces } from './findTraces.js';
import { redactTitles } from './redactTitles.js';
import { settleAndRefresh } from './removal.js';

/** What an erasure came to. Of one that was cut off, its last try tells what was left to it. */
interface Erased {
  /** Threads and messages that changed, those removed included. */
  threads: number;
  messages: number;
  removedThreads: number;
  removedMessages: number;
  profiles: number;
  /** Uploads that had been quarantined. */
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
 * Removes every trace of somebody from records, views, search, caches and quarantined uploads; then from the erasure
 * itself, which keeps a keyed hash. From the request on, nothing that is built shows them (build/readThread.ts); this
 * finds what shows them still, and has it built again, which takes them out of the records, too. Cut off anywhere, it
 * begins again and comes to the same end.
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
  const cause = `erase-user/${erasureId}`;
  // The request may have been cut off before it told anyone.
  await announceErasure(collections);
  const traces = await findTraces(deps, erasure, report);
  await redactTitles(deps, traces, cause);
  await setMarks(deps, 'thread', traces.threadIds, { causes: [cause] });
  const unbuilt = `unbuilt-${cause}`;
  for (const kind of ALL_KINDS.filter((one) => KINDS[one].showsPeople)) {
    await setMarks(deps, kind, await markedSubjects(deps, kind), { causes: [unbuilt] });
  }
  await setMarks(deps, 'person', [userId], { causes: [cause] });
  await setMarks(deps, 'server', traces.serverIds, { causes: [cause] });
  faultPoint('erasureApplied');
  await settleAndRefresh(deps, [cause, unbuilt], traces.serverIds);
  await forgetAccount(collections, userId);
  await forgetDigests(collections, traces);
  const files = await removeUploadsOf(deps, userId);
  await eraseFileNames(collections, traces.names);
  // Threads of which the person wrote everything are gone, and so is what they called them.
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
 * Subjects that are marked now, quarantined ones too, as nobody knows whom their last views show. An import may have
 * cleaned the records of a thread that is not built yet. A build may have taken somebody out of a thread whose line in
 * lists and profiles is not built yet.
 */
async function markedSubjects(
  { collections: { work } }: IndexerDeps,
  kind: WorkKind,
): Promise<string[]> {
  const marks = work.find({ kind }, { projection: { subject: 1 } });
  return (await marks.toArray()).map(({ subject }) => subject);
}

/** Forgets what the platform told of threads, as these digests may be of the person, too. */
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
