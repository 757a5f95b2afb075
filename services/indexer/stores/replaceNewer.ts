import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { insertGathered, writeAllGathered } from '../../../shared/store/gather.js';

/** Replaces views unless what is stored was built from the same or a newer `field`. Running twice changes nothing. */
export async function replaceNewer<T extends { _id: string }>(
  collection: Collection<T>,
  views: T[],
  field: 'revision' | 'version',
): Promise<void> {
  await writeAllGathered(
    collection,
    views.map((view) => newerWrite(view, field)),
  );
}

/** The same for views that are most likely new. */
export async function insertNewer<T extends { _id: string }>(
  collection: Collection<T>,
  views: T[],
  field: 'revision' | 'version',
): Promise<void> {
  if (!(await insertGathered(collection, views))) await replaceNewer(collection, views, field);
}

/** An upsert that keeps what is stored where it is as new: the decision and the write are one atomic update. */
function newerWrite<T extends { _id: string }>(
  view: T,
  field: 'revision' | 'version',
): AnyBulkWriteOperation<T> {
  const told = (view as T & Record<string, unknown>)[field];
  const isOlder = { $lt: [{ $ifNull: [`$${field}`, -1] }, told] };
  return {
    updateOne: {
      filter: { _id: view._id },
      update: [{ $replaceWith: { $cond: [isOlder, { $literal: view }, '$$ROOT'] } }],
      upsert: true,
    },
  } as unknown as AnyBulkWriteOperation<T>;
}
