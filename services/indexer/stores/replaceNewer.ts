import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { writeAllGathered, writeGathered } from '../../../shared/store/gather.js';

const DUPLICATE_KEY = 11_000;

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

/** The same for views that are most likely new: an insert costs the server a third of an upsert. */
export async function insertNewer<T extends { _id: string }>(
  collection: Collection<T>,
  views: T[],
  field: 'revision' | 'version',
): Promise<void> {
  const inserts = views.map((document) => ({ insertOne: { document } }));
  const refused = await writeGathered(collection, inserts as unknown as AnyBulkWriteOperation<T>[]);
  const failed = refused.find(({ code }) => code !== DUPLICATE_KEY);
  if (failed) throw new Error(`A write was refused: ${failed.errmsg ?? String(failed.code)}`);
  if (refused.length > 0) await replaceNewer(collection, views, field);
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
