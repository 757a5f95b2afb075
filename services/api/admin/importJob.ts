import { LISTED_FILES, type AdminJob, type JobState } from '../../../shared/contract/admin.js';
import { AppError } from '../../../shared/contract/errors.js';
import { importIdOf } from '../../../shared/jobs/importJobId.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { ImportFileRecord, ImportRecord } from '../../../shared/store/views.js';
import { withQueue, type QueueDeps } from './withQueue.js';

type Records = Pick<Collections, 'imports' | 'importFiles'>;

/** The most jobs that a retry files. */
const MOST_FILED = 1_000;
/** The highest progress of an import that has not ended. */
const MOST_PROGRESS = 0.99;

/**
 * Reads only what a majority of the replica set has stored, because an outcome must not change once it was reported.
 */
const FOR_GOOD = { readConcern: { level: 'majority' } } as const;

/** Every state of a file. The compiler demands all of them. */
const STATES = Object.keys({
  queued: true,
  imported: true,
  unchanged: true,
  rejected: true,
} satisfies Record<ImportFileRecord['state'], true>) as ImportFileRecord['state'][];

interface StateCount {
  _id: ImportFileRecord['state'];
  files: number;
  messages: number;
  finishedAt: Date | null;
}

/**
 * An import, shown as one job. Its state is read from the records of its files, and not from the queue, which may lose
 * jobs. Null where there is no such import.
 */
export async function findImport(store: Records, jobId: string): Promise<AdminJob | null> {
  const record = await findRecord(store, jobId);
  if (!record) return null;
  const [counts, files] = await Promise.all([
    countStates(store, record._id),
    firstFiles(store, record._id),
  ]);
  return {
    jobId,
    name: 'import',
    error: null,
    attempts: 0,
    ...standing(record, counts),
    queuedAt: record.createdAt.toISOString(),
    files: files.map(({ name, state, reason, threadId, messages }) => ({
      name,
      state,
      reason,
      threadId,
      messages,
    })),
  };
}

/** Whether a job id is that of a recorded import. */
export async function isImport(store: Records, jobId: string): Promise<boolean> {
  return (await findRecord(store, jobId)) !== null;
}

async function findRecord({ imports }: Records, jobId: string): Promise<ImportRecord | null> {
  const importId = importIdOf(jobId);
  return importId === undefined ? null : imports.findOne({ _id: importId }, FOR_GOOD);
}

/** The state and progress of an import. */
function standing({ files }: ImportRecord, all: readonly StateCount[]) {
  const of = (state: StateCount['_id']): number => all.find(({ _id }) => _id === state)?.files ?? 0;
  const sum = (counted: readonly number[]): number => counted.reduce((one, more) => one + more, 0);
  const stored = sum(all.map((group) => group.files));
  const expected = Math.max(stored, files);
  const ended = stored - of('queued');
  const isDone = ended === expected;
  const ends = all.map(({ finishedAt }) => finishedAt?.getTime() ?? 0);
  const state: JobState = isDone ? 'done' : ended === 0 ? 'queued' : 'active';
  return {
    state,
    progress: isDone ? 1 : Math.min(ended / Math.max(1, expected), MOST_PROGRESS),
    counts: {
      files: stored,
      imported: of('imported'),
      unchanged: of('unchanged'),
      rejected: of('rejected'),
      messages: sum(all.map(({ messages }) => messages)),
    },
    finishedAt: isDone && stored > 0 ? new Date(Math.max(...ends)).toISOString() : null,
  };
}

/**
 * The first files of an import, in the order of their ids. The condition on `state` is met by every file. With it,
 * MongoDB reads each state from one index, and merges them. Without it, MongoDB would read the files of all earlier
 * imports.
 */
function firstFiles({ importFiles }: Records, importId: string): Promise<ImportFileRecord[]> {
  return importFiles
    .find({ importId, state: { $in: STATES } }, FOR_GOOD)
    .sort({ _id: 1 })
    .limit(LISTED_FILES)
    .toArray();
}

/** Counts the files of an import in each state. */
function countStates({ importFiles }: Records, importId: string): Promise<StateCount[]> {
  const sums = {
    files: { $sum: 1 },
    messages: { $sum: '$messages' },
    finishedAt: { $max: '$finishedAt' },
  };
  return importFiles
    .aggregate<StateCount>(
      [{ $match: { importId } }, { $group: { _id: '$state', ...sums } }],
      FOR_GOOD,
    )
    .toArray();
}

/**
 * Files jobs again for the waiting files of an import, at most MOST_FILED. The indexer files jobs for the others later.
 * Throws CONFLICT where no file waits, and UNAVAILABLE.
 */
export async function refileImport(
  deps: QueueDeps & { collections: Records },
  jobId: string,
): Promise<void> {
  const importId = importIdOf(jobId) ?? '';
  const waiting = await deps.collections.importFiles
    .find({ importId, state: 'queued' }, { projection: { _id: 1 } })
    .limit(MOST_FILED)
    .toArray();
  if (waiting.length === 0) throw new AppError('CONFLICT', 'No file of this import is waiting');
  const file = ({ _id: uploadId }: { _id: string }) =>
    deps.producer.add('import-file', { uploadId, importId });
  await withQueue(deps, () => Promise.all(waiting.map(file)));
}
