import { fileRecordId, syncOf, type SyncFile } from '../../../shared/store/syncRecords.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { slices } from '../records/slices.js';
import { changeRecords } from './fileRecords.js';
import { wantedFiles, type WantedFile } from './wantedFiles.js';

/** How many files are removed at once. */
const AT_ONCE = 500;

/**
 * Removes the files of a subject that are no longer wanted; without a mirror, only their records. Resolves with all
 * that was known, and with a mirror also with the files that are wanted.
 */
export async function removeUnwanted(
  deps: IndexerDeps,
  mark: Mark,
): Promise<{ wanted: WantedFile[]; known: SyncFile[] }> {
  const files = syncOf(deps.collections.sync, 'file');
  const known = await files.find({ kind: 'file', of: mark.subject }).toArray();
  // Without a mirror, nothing is copied, so nobody needs to know what is wanted where there is nothing to remove.
  if (!deps.mirror && known.length === 0) return { wanted: [], known };
  const wanted = await wantedFiles(deps, mark.subject);
  await removeFiles(deps, mark, unwantedAmong(known, wanted));
  return { wanted, known };
}

/** The records of files that are no longer shown or copied, and of files that were being removed. */
function unwantedAmong(known: readonly SyncFile[], wanted: readonly WantedFile[]): SyncFile[] {
  const ids = new Set(wanted.map(({ name }) => fileRecordId(name)));
  return known.filter(({ _id, gone }) => gone === true || !ids.has(_id));
}

/**
 * Removes copies of a subject's files, and their records. Before a copy is removed, its record is marked as going, in a
 * transaction that only the holder of the claim can make. Without that: worker A has read the records and loses its
 * claim. Meanwhile worker B copies a file again, and records the copy. Then A removes B's copy.
 *
 * A file may belong to another subject by now. Worker A finds that a message with a file has moved out of a thread.
 * Meanwhile worker B copies the file for the thread into which the message has moved. That record stays.
 */
async function removeFiles(
  deps: IndexerDeps,
  mark: Mark,
  records: readonly SyncFile[],
): Promise<void> {
  const isOwn = (now: SyncFile | null): now is SyncFile => now?.of === mark.subject;
  for (const some of slices(records, AT_ONCE)) {
    const ids = some.map(({ _id }) => _id);
    const going = await changeRecords(deps, mark, ids, (now) =>
      isOwn(now) ? { ...now, gone: true } : undefined,
    );
    if (!going) return;
    const keys = [...going.values()].flatMap((record) => record?.copy?.key ?? []);
    await deps.mirror?.files.remove(keys);
    await changeRecords(deps, mark, ids, (now) => (isOwn(now) ? null : undefined));
  }
}
