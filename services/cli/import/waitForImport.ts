import type { Mongo } from '../../../shared/platform/clients.js';
import type { Collections } from '../../../shared/store/collections.js';
import { THREAD_QUARANTINED } from '../../../shared/store/quarantine.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { CliError } from '../cliError.js';
import { counted } from '../numbers.js';
import type { Archive } from '../openArchive.js';
import type { Progress } from '../progress.js';
import { messageOf } from '../reachable.js';
import { waitForWork, type Watched } from '../waitForWork.js';
import type { ImportSummary, Problem } from './importSummary.js';

const LONGEST_COUNTING_MS = 60_000;
/** For most imports, the work that follows is done within this time (ms). */
const SHORT_COUNTING_MS = 5_000;

/** How many files one call reads. */
const READ_AT_ONCE = 1_000;

/** What became of an import's files. */
export type ImportOutcome = Pick<
  ImportSummary,
  'imported' | 'unchanged' | 'threads' | 'messages' | 'rejected' | 'quarantined'
>;

/**
 * Waits until every stored file of an import has its outcome, what follows from them is counted, and search shows them.
 * It tells what the files wait for, when the work that follows takes long, and when search cannot be refreshed.
 * `stored` holds the paths of the files, by the ids of their uploads. Throws CliError where files are not recorded any
 * more.
 */
export async function waitForImport(
  archive: Watched,
  importId: string,
  stored: ReadonlyMap<string, string>,
  progress: Pick<Progress, 'advance' | 'say'>,
): Promise<ImportOutcome> {
  const { mongo, elasticsearch } = archive;
  const { importFiles } = mongo.collections;
  let isFollowTold = false;
  let finishedAt: number | undefined;
  const look = async (): Promise<{ done: number; outcome?: ImportOutcome }> => {
    // Only what a majority has stored counts, because a crash must not undo an outcome that was reported.
    const readConcern = { level: 'majority' } as const;
    const waiting = { importId, state: 'queued' as const };
    const queued = await importFiles.countDocuments(waiting, { readConcern });
    const done = stored.size - queued;
    if (queued === 0) finishedAt ??= performance.now();
    if (finishedAt !== undefined && (await isCounted(mongo, importId, finishedAt))) {
      // Where nothing was stored, there may be no search index yet.
      if (stored.size > 0) await refreshSearch({ mongo, elasticsearch }, progress);
      return { done, outcome: await outcomeOf(importFiles, importId, stored) };
    }
    const countingMs = finishedAt === undefined ? 0 : performance.now() - finishedAt;
    if (!isFollowTold && countingMs > SHORT_COUNTING_MS) {
      isFollowTold = true;
      progress.say(
        'All files are in. What follows from them is being done, such as other threads that show a changed name',
      );
    }
    return { done };
  };
  return waitForWork(archive, { look }, progress);
}

/**
 * Whether all is done that follows from an import, which finished at a time of `performance.now()`. After
 * LONGEST_COUNTING_MS, it is true in any case.
 */
async function isCounted(
  { collections: { work } }: Mongo,
  importId: string,
  finishedAt: number,
): Promise<boolean> {
  if (performance.now() - finishedAt > LONGEST_COUNTING_MS) return true;
  const left = { causes: `import/${importId}` };
  return (await work.findOne(left, { projection: { _id: 1 } })) === null;
}

/**
 * Refreshes search, so that it shows what was written. It would do so later by itself. So a failure does not fail the
 * import.
 */
async function refreshSearch(
  { mongo, elasticsearch }: Pick<Archive, 'mongo' | 'elasticsearch'>,
  progress: Pick<Progress, 'say'>,
): Promise<void> {
  const index = searchAlias(mongo.namespace);
  await elasticsearch.indices.refresh({ index }).catch((error: unknown) => {
    progress.say(`Search may not show all of it yet: ${messageOf(error)}`);
  });
}

async function outcomeOf(
  importFiles: Collections['importFiles'],
  importId: string,
  stored: ReadonlyMap<string, string>,
): Promise<ImportOutcome> {
  const states = await importFiles
    .aggregate<{ _id: string; files: number; messages: number }>([
      { $match: { importId } },
      { $group: { _id: '$state', files: { $sum: 1 }, messages: { $sum: '$messages' } } },
    ])
    .toArray();
  const lost = stored.size - states.reduce((sum, { files }) => sum + files, 0);
  if (lost > 0) {
    throw new CliError(
      `The archive has lost ${counted(lost, 'file')} of this import, as its database was dropped, say: import them again`,
    );
  }
  const of = (state: string): { files: number; messages: number } =>
    states.find(({ _id }) => _id === state) ?? { files: 0, messages: 0 };
  return {
    imported: of('imported').files,
    unchanged: of('unchanged').files,
    messages: of('imported').messages + of('unchanged').messages,
    ...(await threadsOf(importFiles, importId)),
    rejected: await rejectedFiles(importFiles, importId, stored),
  };
}

/**
 * How many threads the files of an import hold, and those of them that are quarantined. This is not the fault of their
 * files, which count as imported. The files are read a part at a time: there may be millions, and a call must end in
 * time.
 */
async function threadsOf(
  importFiles: Collections['importFiles'],
  importId: string,
): Promise<Pick<ImportOutcome, 'threads' | 'quarantined'>> {
  const threads = new Set<string>();
  const quarantined = new Set<string>();
  const projection = { threadId: 1, reason: 1 } as const;
  const files = importFiles.find({ importId }, { projection, batchSize: READ_AT_ONCE });
  for await (const { threadId, reason } of files) {
    if (threadId === undefined) continue;
    threads.add(threadId);
    if (reason === THREAD_QUARANTINED) quarantined.add(threadId);
  }
  return { threads: threads.size, quarantined: [...quarantined].sort() };
}

/**
 * The rejected files, by the paths that the user gave. Their records do not keep the names of files whose place was
 * deleted.
 */
async function rejectedFiles(
  importFiles: Collections['importFiles'],
  importId: string,
  stored: ReadonlyMap<string, string>,
): Promise<Problem[]> {
  const files = await importFiles.find({ importId, state: 'rejected' }).sort({ name: 1 }).toArray();
  return files.map(({ _id, name = '', reason = 'No reason is known' }) => {
    return { file: stored.get(_id) ?? name, reason };
  });
}
