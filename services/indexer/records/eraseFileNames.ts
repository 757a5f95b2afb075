import type { Collections } from '../../../shared/store/collections.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import { eraseNames, textEraser } from '../../../shared/store/eraseText.js';

/**
 * Takes erased people out of the names of imported files: their ids, and `names`, by which some of them went. Exporters
 * name files after threads, and the name of a rejected file is kept.
 */
export async function eraseFileNames(
  collections: Pick<Collections, 'importFiles' | 'erasures' | 'state'>,
  names: readonly string[],
): Promise<void> {
  const { importFiles } = collections;
  const { text } = textEraser(await erasedPeople(collections));
  // An index finds these two states. Files in another state have no name any more.
  const named = importFiles.find(
    { state: { $in: ['queued', 'rejected'] }, name: { $exists: true } },
    { projection: { name: 1 } },
  );
  for await (const { _id, name = '' } of named) {
    const clean = eraseNames(text(name), names);
    if (clean !== name) await importFiles.updateOne({ _id, name }, { $set: { name: clean } });
  }
}
