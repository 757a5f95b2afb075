import type { MirrorFiles } from '../../../shared/mirror/mirrorFiles.js';
import type { SyncFile } from '../../../shared/store/syncRecords.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { slices } from '../records/slices.js';
import { changeRecords } from './fileRecords.js';

const AT_ONCE = 500;

/**
 * Removes copies of a subject's files, and their records. First the records say that the copies are being removed.
 * Otherwise worker A, which has lost its claim, could remove a copy that worker B has just recorded.
 *
 * A file may belong to another subject by now. Worker A finds that a message with a file has moved out of a thread.
 * Meanwhile worker B copies the file for the thread into which the message has moved. That record stays.
 */
export async function removeFiles(
  deps: Pick<IndexerDeps, 'commit'>,
  files: Pick<MirrorFiles, 'remove'>,
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
    await files.remove(keys);
    await changeRecords(deps, mark, ids, (now) => (isOwn(now) ? null : undefined));
  }
}
