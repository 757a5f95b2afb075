import { ExportError } from '../../../shared/exportFormat/exportError.js';
import { inflate } from '../../../shared/exportFormat/inflate.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import { MissingPieceError } from '../../../shared/store/pieces.js';
import { pagesById } from '../../../shared/store/pagesById.js';
import { deleteUpload, openUpload } from '../../../shared/store/uploads.js';
import { isQuarantined, markId, NEVER } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { removeEndedUploads } from '../stores/orphanPieces.js';
import { idsIn } from '../../../shared/store/eraseText.js';

type Deps = Pick<IndexerDeps, 'collections' | 'commit'>;

/** Characters of a piece that are read again with the next one: an id may begin in them. */
const OVERLAP = 21;
const REASON =
  'Quarantined, then removed: it held something that was deleted or erased, so it has to be handed in again';

/**
 * Removes the uploads of quarantined files that contain an id which was deleted or erased. Nothing else removes
 * anything from an upload. Each upload is read as a stream. Returns how many of these uploads it has removed. Before
 * that, it removes the uploads of files that have ended, whatever these contain (`removeEndedUploads`).
 */
export async function removeUploadsOf(deps: Deps, goneId: string): Promise<number> {
  await removeEndedUploads(deps.collections);
  let removed = 0;
  const quarantined = { prefix: 'file/', filter: { due: NEVER }, projection: { subject: 1 } };
  for await (const marks of pagesById(deps.collections.work, quarantined))
    for (const { subject } of marks)
      if (await removeWhere(deps, subject, (id) => id === goneId)) removed += 1;
  return removed;
}

/**
 * Removes the upload of a file that has just been quarantined, where it contains the id of anybody who was erased
 * before.
 */
export async function removeUploadOfErased(deps: Deps, uploadId: string): Promise<void> {
  const erased = await erasedPeople(deps.collections);
  if (!erased.isEmpty) await removeWhere(deps, uploadId, (id) => erased.has(id));
}

async function removeWhere(
  { collections, commit }: Deps,
  uploadId: string,
  isGone: (id: string) => boolean,
): Promise<boolean> {
  if (!(await uploadHolds({ collections }, uploadId, isGone))) return false;
  // The upload goes first, so that an import that begins to read it now finds it gone.
  await deleteUpload(collections, uploadId);
  const _id = markId('file', uploadId);
  return commit({
    reads: { work: [_id], importFiles: [uploadId] },
    decide(documents) {
      const mark = documents.get('work', _id);
      const file = documents.get('importFiles', uploadId);
      if (!mark || !isQuarantined(mark)) return false;
      documents.remove('work', _id);
      if (file) documents.put('importFiles', { ...file, reason: REASON });
      return true;
    },
  });
}

/**
 * Whether an upload contains an id for which `isGone` holds. Also true for an upload that is damaged, or is gone
 * meanwhile.
 */
async function uploadHolds(
  { collections }: Pick<Deps, 'collections'>,
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

/** Whether a text that comes in pieces contains an id for which `isGone` holds. */
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
