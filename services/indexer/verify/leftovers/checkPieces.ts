import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';

/** Older ones alone (ms): what is being written has its body in a moment. */
const AFTER_MS = 10 * 60_000;

/** Pieces of large bodies that belong to no stored body. */
export async function checkPieces({ deps, tally }: AreaContext): Promise<Difference[]> {
  const { bodies, bodyChunks } = deps.collections;
  const before = (Date.now() - AFTER_MS) * 1000;
  const written = bodyChunks.aggregate<{ _id: { body: string; revision: number }; pieces: number }>(
    [{ $group: { _id: { body: '$body', revision: '$revision' }, pieces: { $sum: 1 } } }],
  );
  const found: Difference[] = [];
  for await (const { _id: of, pieces } of written) {
    tally('pieces', pieces);
    if (of.revision > before) continue;
    const body = await bodies.findOne({ _id: of.body }, { projection: { revision: 1, chunks: 1 } });
    if (body?.revision === of.revision && (body.chunks ?? 0) >= pieces) continue;
    const detail = `${pieces} pieces of revision ${of.revision}`;
    found.push({
      kind: 'leftover.piece',
      id: of.body,
      detail,
      basis: '',
      clue: { above: of.revision },
    });
  }
  return found;
}
