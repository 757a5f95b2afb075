import type { Owned } from '../../../../shared/store/pieces.js';
import { orphanBodies, orphanUploads } from '../../stores/orphanPieces.js';
import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { MOST_LISTED } from '../mostListed.js';

/**
 * The age (ms) above which the pieces of a body count as orphans. The body that belongs to younger ones may still be
 * about to be stored.
 */
const BODY_AFTER_MS = 10 * 60_000;
/** The age (ms) above which an unneeded upload is reported. The indexer removes unneeded uploads after a day. */
const UPLOAD_AFTER_MS = 25 * 60 * 60_000;

/** Looks for pieces of large bodies that belong to no stored body, and for pieces of uploads that no file needs. */
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
