import { ExportError } from '../../../shared/exportFormat/exportError.js';
import { inflate } from '../../../shared/exportFormat/inflate.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import { MissingPieceError } from '../../../shared/store/pieces.js';
import { quarantineId } from '../../../shared/store/quarantine.js';
import { deleteUpload, openUpload } from '../../../shared/store/uploads.js';
import type { IndexerDeps } from '../deps.js';
import { idsIn } from '../records/eraseText.js';

type Deps = Pick<IndexerDeps, 'collections'>;

/** Characters of a piece that are read again with the next one: an id may begin in them. */
const OVERLAP = 21;
const REASON =
  'Quarantined, then removed: it held something that was deleted or erased, so it has to be handed in again';

/**
 * Removes the uploads of files that were quarantined and hold an id of something that was deleted or erased: nothing else
 * of the archive reaches into them. Each is read as a stream. Gives how many were removed.
 */
export async function removeUploadsOf({ collections }: Deps, goneId: string): Promise<number> {
  let removed = 0;
  const aside = collections.quarantine.find({ kind: 'file' }, { projection: { subject: 1 } });
  for await (const { subject } of aside)
    if (await removeWhere({ collections }, subject, (id) => id === goneId)) removed += 1;
  return removed;
}

/** The same for a file that has just been quarantined and anybody who had been erased before. */
export async function removeUploadOfErased({ collections }: Deps, uploadId: string): Promise<void> {
  const erased = await erasedPeople(collections);
  const entry = { _id: quarantineId('file', uploadId) };
  if (erased.isEmpty || !(await collections.quarantine.findOne(entry))) return;
  await removeWhere({ collections }, uploadId, (id) => erased.has(id));
}

async function removeWhere(
  { collections }: Deps,
  uploadId: string,
  isGone: (id: string) => boolean,
): Promise<boolean> {
  const { importFiles, quarantine } = collections;
  const isAside = { _id: uploadId, state: 'rejected' as const };
  if (!(await importFiles.findOne(isAside))) return false;
  if (!(await uploadHolds({ collections }, uploadId, isGone))) return false;
  // Without its tries it cannot be tried again, so that no import begins to read it now.
  const { matchedCount } = await importFiles.updateOne(isAside, {
    $set: { reason: REASON },
    $unset: { tries: '' },
  });
  if (matchedCount === 0) return false;
  await deleteUpload(collections, uploadId);
  await quarantine.deleteOne({ _id: quarantineId('file', uploadId) });
  return true;
}

/** Whether such an id stands in an upload; also true for one that cannot be read, or not any more. */
async function uploadHolds(
  { collections }: Deps,
  uploadId: string,
  isGone: (id: string) => boolean,
): Promise<boolean> {
  try {
    return await holdsId(inflate(openUpload(collections, uploadId)), isGone);
  } catch (error) {
    if (error instanceof MissingPieceError || error instanceof ExportError) return true;
    throw error;
  }
}

/** Whether such an id stands in a text that comes in pieces. */
export async function holdsId(
  pieces: AsyncIterable<Buffer>,
  isGone: (id: string) => boolean,
): Promise<boolean> {
  let text = '';
  for await (const piece of pieces) {
    text = text.slice(-OVERLAP) + piece.toString('latin1');
    if (idsIn(text).some(isGone)) return true;
  }
  return false;
}
