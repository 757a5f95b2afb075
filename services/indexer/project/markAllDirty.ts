import type { Collection } from 'mongodb';
import { batches } from '../../../shared/platform/batches.js';
import type { DirtyMark } from '../../../shared/store/views.js';
import { markDirty } from '../stores/dirtyMarks.js';

/** Marks everything that a source names as dirty, a batch at a time however long it is. Returns how many it named. */
export async function markAllDirty<T>(
  dirty: Collection<DirtyMark>,
  source: AsyncIterable<T>,
  nameOf: (item: T) => string,
): Promise<number> {
  let named = 0;
  for await (const batch of batches(source)) {
    await markDirty(dirty, batch.map(nameOf));
    named += batch.length;
  }
  return named;
}
