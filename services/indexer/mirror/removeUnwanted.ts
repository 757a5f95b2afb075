import { fileRecordId, syncOf, type SyncFile } from '../../../shared/store/syncRecords.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import type { Mirror } from './mirror.js';
import { removeFiles } from './removeFiles.js';
import { wantedFiles, type WantedFile } from './wantedFiles.js';

/** Stands for the files of a mirror that is off. */
const NO_FILES = { remove: () => Promise.resolve() };

/**
 * Removes the files of a subject that are no longer wanted. Resolves with all that was known, and with a mirror also
 * with the files that are wanted.
 */
export async function removeUnwanted(
  deps: IndexerDeps,
  mirror: Mirror | null,
  mark: Mark,
): Promise<{ wanted: WantedFile[]; known: SyncFile[] }> {
  const files = syncOf(deps.collections.sync, 'file');
  const known = await files.find({ kind: 'file', of: mark.subject }).toArray();
  // Without a mirror, nothing is copied, so nobody needs to know what is wanted where there is nothing to remove.
  if (!mirror && known.length === 0) return { wanted: [], known };
  const wanted = await wantedFiles(deps, mirror, mark.subject);
  await removeFiles(deps, mirror?.files ?? NO_FILES, mark, unwantedAmong(known, wanted));
  return { wanted, known };
}

/** The records of files that are no longer shown or copied, and of files that were being removed. */
function unwantedAmong(known: readonly SyncFile[], wanted: readonly WantedFile[]): SyncFile[] {
  const ids = new Set(wanted.map(({ name }) => fileRecordId(name)));
  return known.filter(({ _id, gone }) => gone === true || !ids.has(_id));
}
