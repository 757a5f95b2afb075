import {
  MongoServerError,
  type AnyBulkWriteOperation,
  type Collection,
  type Filter,
  type UpdateFilter,
} from 'mongodb';

const DUPLICATE_KEY = 11000;

/** Replaces a view unless what is stored was built from the same or a newer `field`. Running twice changes nothing. */
export async function replaceNewer<T extends { _id: string }>(
  collection: Collection<T>,
  view: T,
  field: 'revision' | 'version',
): Promise<void> {
  const { filter, update } = newerOperation(view, field);
  try {
    await collection.updateOne(filter, update, { upsert: true });
  } catch (error) {
    if (!isNewerStored(error)) throw error;
  }
}

/** The same for many views at once. */
export async function replaceManyNewer<T extends { _id: string }>(
  collection: Collection<T>,
  views: T[],
  field: 'revision' | 'version',
): Promise<void> {
  if (views.length === 0) return;
  const operations = views.map((view) => ({
    updateOne: { ...newerOperation(view, field), upsert: true },
  })) as unknown as AnyBulkWriteOperation<T>[];
  try {
    await collection.bulkWrite(operations, { ordered: false });
  } catch (error) {
    if (!isNewerStored(error)) throw error;
  }
}

/**
 * An upsert that matches only an older view: where a newer one is stored it matches nothing, tries to insert, and
 * fails on the unique _id, which is the answer "already newer".
 */
function newerOperation<T extends { _id: string }>(view: T, field: 'revision' | 'version') {
  const { _id, ...fields } = view as T & Record<string, unknown>;
  return {
    filter: { _id, [field]: { $lt: fields[field] } } as unknown as Filter<T>,
    update: [{ $replaceWith: { $literal: { _id, ...fields } } }] as unknown as UpdateFilter<T>,
  };
}

function isNewerStored(error: unknown): boolean {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return false;
  const writeErrors = (error as { writeErrors?: { code?: number }[] }).writeErrors ?? [];
  return [writeErrors].flat().every((one) => one.code === DUPLICATE_KEY);
}
