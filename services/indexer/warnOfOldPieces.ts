import type { Mongo } from '../../shared/platform/clients.js';
import type { Logger } from '../../shared/platform/logger.js';

/** The collections of earlier versions in place of `pieces`. */
const OLD = ['bodyChunks', 'uploadChunks'];

/** Warns of pieces that an earlier version stored. Nothing reads them, and no erasure reaches them. */
export async function warnOfOldPieces({ db }: Pick<Mongo, 'db'>, logger: Logger): Promise<void> {
  for (const collection of OLD) {
    if (!(await db.collection(collection).findOne({}, { projection: { _id: 1 } }))) continue;
    const todo = 'docs/deployment.md, "After an update", says how to move on from them';
    logger.warn({ collection }, `Pieces of an earlier version are not read any more: ${todo}`);
  }
}
