import { batches } from '../../../shared/platform/batches.js';
import { isStoreAway } from '../../../shared/platform/storeErrors.js';
import { readRestore } from '../../../shared/store/restore.js';
import { stateOf } from '../../../shared/store/state.js';
import { fileRecordId, syncOf, type SyncFile } from '../../../shared/store/syncRecords.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { changeHeld, endMark, freeMark, heldMarks, readsOf, setMarks } from '../work/claims.js';
import type { Quarantining } from '../work/quarantineMark.js';
import { beyondWaits, copyFiles, type MissingFile } from './copyFiles.js';
import { EVERYTHING, lookThrough } from './lookThrough.js';
import type { Mirror } from './mirror.js';
import { noteFailure } from './ownMirror.js';
import { removeUnwanted } from './removeUnwanted.js';
import type { WantedFile } from './wantedFiles.js';

/** After this time (ms), another subject has its turn. */
const SLICE_MS = 10_000;
/** How long (ms) a subject waits whose files could not be tried. */
const AGAIN_MS = 30_000;

/**
 * Copies the files that the marked subjects show, and removes other copies. Without a mirror, only the records of other
 * copies are removed. The copies without a record are removed when the mirror is turned on again.
 *
 * The whole mirror is looked through after the marks of the subjects have ended. That may take an hour, and a deletion
 * must not wait for it because this process still claims the mark of its thread.
 */
export async function mirrorFiles(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  const { mirror } = deps;
  if (!mirror) return removeRecords(deps, marks);
  const isWhole = ({ subject }: Mark): boolean => subject === EVERYTHING;
  await mirrorEach(
    deps,
    mirror,
    marks.filter((mark) => !isWhole(mark)),
  );
  await mirrorEach(deps, mirror, marks.filter(isWhole));
}

/** Copies and removes the files of some subjects, one subject after the other. */
async function mirrorEach(
  deps: IndexerDeps,
  mirror: Mirror,
  marks: readonly Mark[],
): Promise<void> {
  const end = performance.now() + SLICE_MS;
  const done: Mark[] = [];
  const left: Mark[] = [];
  try {
    for (const mark of marks) {
      const isLeft = await mirrorOne(deps, mirror, mark, end);
      (isLeft ? left : done).push(mark);
    }
  } finally {
    // One transaction ends all marks that were done so far. A subject that is done again changes nothing.
    await endOrWait(deps, { done, left });
  }
}

/** Removes the records of copies that are not wanted any more, where this process has no mirror. */
async function removeRecords(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  // The records must stay until their copies are removed.
  const isLeft = await isOutdated(deps);
  if (!isLeft) for (const mark of marks) await removeUnwanted(deps, mark);
  await endOrWait(deps, isLeft ? { done: [], left: marks } : { done: marks, left: [] });
}

/**
 * Prepares to quarantine a subject whose files always fail to be copied. Copies that are not shown any more are still
 * removed, because that fetches nothing.
 */
export async function quarantineFiles(deps: IndexerDeps, mark: Mark): Promise<Quarantining> {
  await removeUnwanted(deps, mark);
  return {};
}

/** Marks the subjects of files that failed and are due to be tried again. */
export async function retryFiles(deps: IndexerDeps, now = new Date()): Promise<void> {
  if (!deps.mirror) return;
  // During a restore, most views are missing. People would seem to have written nothing, and lose their pictures.
  if (await readRestore(deps.collections)) return;
  const due = [{ dueAt: { $lte: now } }, { dueAt: { $gte: beyondWaits(now) } }];
  const found = syncOf(deps.collections.sync, 'file').find(
    { kind: 'file', $or: due },
    { projection: { of: 1 } },
  );
  for await (const batch of batches(found)) {
    const subjects = batch.map(({ of }) => of);
    await setMarks(deps, 'mirror', subjects);
  }
}

/** Copies and removes the files of one subject. Resolves with whether the subject is to be looked at again. */
async function mirrorOne(
  deps: IndexerDeps,
  mirror: Mirror,
  mark: Mark,
  end: number,
): Promise<boolean> {
  try {
    if (mark.subject === EVERYTHING) {
      await lookThrough(deps, mirror, mark);
      return false;
    }
    const { wanted, known } = await removeUnwanted(deps, mark);
    await forgetCauses(deps, mark);
    if (await isOutdated(deps)) return true;
    return await copyFiles(deps, mirror, mark, { wanted: missingAmong(wanted, known), end });
  } catch (error) {
    if (isStoreAway(error)) throw error;
    deps.logger.warn(
      { err: error, subject: mark.subject },
      'The copies of files could not be brought up to date',
    );
    await noteFailure(deps);
    return true;
  }
}

/**
 * Whether the stored settings of the mirror are not those of this process, which may have no mirror at all. Process A
 * starts with new settings, stores them, and marks everything. Meanwhile process B still runs with the old settings, and
 * claims some of these marks. If B ended them, nobody would copy the files that only the new settings allow, and nobody
 * would remove the copies that A has made. So B frees the marks, and A claims them later. Once an operator has turned
 * the mirror off, a process without a mirror deletes the stored settings at its next look.
 */
async function isOutdated({ collections, mirror }: IndexerDeps): Promise<boolean> {
  const known = await stateOf(collections.state, 'mirror').findOne({ _id: 'mirror' });
  return known?.settings !== undefined && known.settings !== mirror?.settings;
}

/**
 * The wanted files that have to be copied. An attachment never changes. A new picture has another link. Where a record
 * has both a problem and a copy, the copy is of an earlier picture.
 */
function missingAmong(wanted: readonly WantedFile[], known: readonly SyncFile[]): MissingFile[] {
  const records = new Map(known.map((record) => [record._id, record]));
  return wanted.flatMap((file) => {
    const found = records.get(fileRecordId(file.name));
    const record = found?.gone ? undefined : found;
    const isSame = record?.source === file.source;
    const isFailed = record?.problem !== undefined;
    const isNewest = file.attachment !== undefined || (isSame && !isFailed);
    const isCopied = record?.copy !== undefined && isNewest;
    const isInVain = isSame && isFailed && record.dueAt === undefined;
    return isCopied || isInVain ? [] : [{ file, record: isSame ? record : undefined }];
  });
}

/** Takes the causes from a mark, because a job that waits for a removal does not wait for copies. */
async function forgetCauses(deps: IndexerDeps, mark: Mark): Promise<void> {
  if (!mark.causes) return;
  await changeHeld(deps, [mark], (now) => {
    // Causes that were added meanwhile may belong to another removal.
    if (now.token !== mark.token) return now;
    const { causes: _causes, ...rest } = now;
    return rest;
  });
}

/** Ends the marks whose subjects are done. Those whose subjects are to be looked at again become due later. */
async function endOrWait(
  deps: IndexerDeps,
  { done, left }: { done: Mark[]; left: Mark[] },
): Promise<void> {
  if (done.length + left.length === 0) return;
  await deps.commit({
    reads: readsOf([...done, ...left]),
    decide(documents) {
      for (const mark of heldMarks(documents, done)) endMark(documents, mark);
      for (const mark of heldMarks(documents, left)) {
        const now = documents.get('work', mark._id)!;
        if (now.token !== mark.token) endMark(documents, mark);
        else freeMark(documents, now, new Date(Date.now() + AGAIN_MS));
      }
    },
  });
}
