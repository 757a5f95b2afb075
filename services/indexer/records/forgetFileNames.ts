import { batches } from '../../../shared/platform/batches.js';
import type { Collections } from '../../../shared/store/collections.js';
import { idsIn } from '../../../shared/store/eraseText.js';
import { namedFiles } from './namedFiles.js';

/** The name by which a file is told whose own name holds a title that was deleted. */
export function bareFileName(id: string): string {
  return `${id}.json`;
}

/**
 * Leaves only the id of a deleted thread in the names of imported files. Exporters name a file after its thread's title
 * and id, and the name of a file that was rejected is kept. The indexer looks for such names now and then, too: a thread
 * may have been deleted by the platform or by an erasure, or before the file was rejected.
 */
export async function forgetFileNames(
  collections: Pick<Collections, 'importFiles' | 'threads'>,
): Promise<void> {
  const { importFiles, threads } = collections;
  for await (const files of batches(namedFiles(collections))) {
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
