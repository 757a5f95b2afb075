import { batches } from '../../../shared/platform/batches.js';
import type { Collections } from '../../../shared/store/collections.js';
import { idsIn } from '../../../shared/store/eraseText.js';

/** The name that a file gets in place of one that holds a deleted title. */
export function bareFileName(id: string): string {
  return `${id}.json`;
}

/**
 * Leaves only the id of a deleted thread in the names of rejected files. Exporters name a file after its thread's title
 * and id, and the name of a file that was rejected is kept. Deletions and erasures do this, and the indexer does it once an
 * hour: the platform may have deleted a thread, and a file may be rejected after its thread was deleted.
 */
export async function forgetFileNames({
  importFiles,
  threads,
}: Pick<Collections, 'importFiles' | 'threads'>): Promise<void> {
  const rejected = importFiles.find(
    { state: 'rejected', name: { $exists: true } },
    { projection: { name: 1 } },
  );
  for await (const files of batches(rejected)) {
    const ids = files.flatMap(({ name = '' }) => idsIn(name));
    const deleted = threads.find({ _id: { $in: ids }, deleted: true }, { projection: { _id: 1 } });
    const gone = new Set((await deleted.toArray()).map(({ _id }) => _id));
    for (const { _id, name = '' } of files) {
      const id = idsIn(name).find((one) => gone.has(one));
      if (id === undefined || name === bareFileName(id)) continue;
      await importFiles.updateOne({ _id, name }, { $set: { name: bareFileName(id) } });
    }
  }
}
