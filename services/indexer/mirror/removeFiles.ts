import type { MirrorFiles } from '../../../shared/mirror/mirrorFiles.js';
import type { SyncFile } from '../../../shared/store/syncRecords.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { slices } from '../records/slices.js';
import { changeRecords } from './fileRecords.js';

const AT_ONCE = 500;

/**
 * Removes copies and their records. First the records say that the copies are being removed. Otherwise worker A, which
 * has lost its claim, could remove a copy that worker B has just recorded.
 */
export async function removeFiles(
  deps: Pick<IndexerDeps, 'commit'>,
  files: Pick<MirrorFiles, 'remove'>,
  mark: Mark,
  records: readonly SyncFile[],
): Promise<void> {
  for (const some of slices(records, AT_ONCE)) {
    const ids = some.map(({ _id }) => _id);
    const going = await changeRecords(deps, mark, ids, (now) => now && { ...now, gone: true });
    if (!going) return;
    const keys = [...going.values()].flatMap((record) => record?.copy?.key ?? []);
    await files.remove(keys);
    await changeRecords(deps, mark, ids, () => null);
  }
}
