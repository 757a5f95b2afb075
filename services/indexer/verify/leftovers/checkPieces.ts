import type { Owned } from '../../../../shared/store/pieces.js';
import { orphanBodies, orphanUploads } from '../../stores/orphanPieces.js';
import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { MOST_LISTED } from './mostListed.js';

/** A body that is being written is stored in a moment: younger revisions (ms) are passed over. */
const BODY_AFTER_MS = 10 * 60_000;
/** Uploads that no file needs are removed after a day; these should have been. */
const UPLOAD_AFTER_MS = 25 * 60 * 60_000;

/** Pieces of large bodies that belong to no stored body, and of uploads that no file needs. */
export async function checkPieces({ deps, tally }: AreaContext): Promise<Difference[]> {
  const { collections } = deps;
  const now = Date.now();
  const before = (now - BODY_AFTER_MS) * 1000;
  const bodies = orphanBodies(collections, ({ revision, pieces }, stored) => {
    tally('pieces', pieces);
    return revision > before || revision === stored;
  });
  const uploads = orphanUploads(collections, new Date(now - UPLOAD_AFTER_MS));
  return [
    ...(await listed(bodies, 'No stored body is of this revision')),
    ...(await listed(uploads, 'No file waits for it')),
  ];
}

async function listed(orphans: AsyncIterable<Owned>, reason: string): Promise<Difference[]> {
  const found: Difference[] = [];
  for await (const { owner, pieces } of orphans) {
    const detail = `${reason} (pieces: ${pieces})`;
    found.push({ kind: 'piece.orphan', id: owner, detail, basis: '' });
    if (found.length >= MOST_LISTED) break;
  }
  return found;
}
