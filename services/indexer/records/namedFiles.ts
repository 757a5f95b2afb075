import type { FindCursor } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { ImportFileRecord } from '../../../shared/store/views.js';

/** The files whose records hold the name that they were handed in by, by index: those that wait, and the rejected ones. */
export function namedFiles({
  importFiles,
}: Pick<Collections, 'importFiles'>): FindCursor<Pick<ImportFileRecord, '_id' | 'name'>> {
  return importFiles.find(
    { state: { $in: ['queued', 'rejected'] }, name: { $exists: true } },
    { projection: { name: 1 } },
  );
}
