import type { Collections } from '../../../shared/store/collections.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import { eraseNames, textEraser } from '../../../shared/store/eraseText.js';

/**
 * Takes erased people out of the names of imported files: their ids, and these names of theirs. Exporters name files
 * after threads, and the name of a file that was rejected is kept.
 */
export async function eraseFileNames(
  collections: Pick<Collections, 'importFiles' | 'erasures' | 'state'>,
  names: readonly string[],
): Promise<void> {
  const { importFiles } = collections;
  const { text } = textEraser(await erasedPeople(collections));
  // By index: those that wait, and the rejected ones.
  const named = importFiles.find(
    { state: { $in: ['queued', 'rejected'] }, name: { $exists: true } },
    { projection: { name: 1 } },
  );
  for await (const { _id, name = '' } of named) {
    const clean = eraseNames(text(name), names);
    if (clean !== name) await importFiles.updateOne({ _id, name }, { $set: { name: clean } });
  }
}
