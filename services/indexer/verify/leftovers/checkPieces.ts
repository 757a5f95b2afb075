import type { BodyChunk } from '../../../../shared/store/views.js';
import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { MOST_LISTED } from './mostListed.js';

/** Older ones alone (ms): what is being written has its body in a moment. */
const AFTER_MS = 10 * 60_000;

/** Pieces of large bodies that belong to no stored body. */
export async function checkPieces({ deps, tally }: AreaContext): Promise<Difference[]> {
  const { bodies, bodyChunks } = deps.collections;
  const before = (Date.now() - AFTER_MS) * 1000;
  const found: Difference[] = [];
  for await (const { pieces, ...of } of writtenBodies(bodyChunks)) {
    tally('pieces', pieces);
    if (of.revision > before) continue;
    const body = await bodies.findOne({ _id: of.body }, { projection: { revision: 1, chunks: 1 } });
    if (body?.revision === of.revision && (body.chunks ?? 0) >= pieces) continue;
    const detail = `${pieces} pieces of revision ${of.revision}`;
    found.push({
      kind: 'piece.orphan',
      id: of.body,
      detail,
      basis: '',
      clue: { above: of.revision },
    });
    if (found.length >= MOST_LISTED) break;
  }
  return found;
}

type Written = Pick<BodyChunk, 'body' | 'revision'> & { pieces: number };

/** Of which bodies and revisions there are pieces, and how many: read from the index alone, in its order. */
async function* writtenBodies(
  bodyChunks: AreaContext['deps']['collections']['bodyChunks'],
): AsyncGenerator<Written> {
  let last: Written | undefined;
  const pieces = bodyChunks
    .find({}, { projection: { _id: 0, body: 1, revision: 1 }, batchSize: 5_000 })
    .sort({ body: 1, revision: 1 });
  for await (const { body, revision } of pieces) {
    if (last?.body === body && last.revision === revision) {
      last.pieces += 1;
      continue;
    }
    if (last) yield last;
    last = { body, revision, pieces: 1 };
  }
  if (last) yield last;
}
