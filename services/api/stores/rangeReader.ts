import type { Collection, Document, Filter } from 'mongodb';
import { gatherReads, type AskLimits } from '../../../shared/platform/gatherReads.js';
import { rawTexts } from './rawTexts.js';

/** A range of an index: a query that one index answers in order. The projected fields must be strings. */
export interface Range {
  filter: Record<string, unknown>;
  sort: Record<string, 1 | -1>;
  hint: string;
  limit: number;
  projection: Record<string, 0 | 1>;
}

/** Reads the documents of one range, in order. Of each field, it gives the UTF-8 bytes by name. */
export type ReadRange = (range: Range) => Promise<Record<string, Buffer>[]>;

/** The most ranges of one call. With 101 documents each, they still fit into one reply of MongoDB (16 MiB). */
const MOST_RANGES = 16;

/**
 * Makes a reader of ranges of a collection. It gathers the ranges that are asked for at the same time. A single range
 * is read by `find`, and several by one `aggregate` with a pipeline for each. Rejects where MongoDB does not answer.
 */
export function rangeReader<T extends Document>(
  collection: Collection<T>,
  limits: AskLimits,
): ReadRange {
  return gatherReads<Range, Record<string, Buffer>[]>({
    ...limits,
    most: MOST_RANGES,
    call: async (ranges) =>
      ranges.length === 1 ? [await findOne(collection, ranges[0]!)] : joinAll(collection, ranges),
  });
}

async function findOne<T extends Document>(
  collection: Collection<T>,
  { filter, projection, hint, sort, limit }: Range,
): Promise<Record<string, Buffer>[]> {
  const documents = await collection
    .find<Uint8Array>(filter as Filter<T>, { projection, hint, raw: true })
    .sort(sort)
    .limit(limit)
    .batchSize(limit + 1)
    .toArray();
  return documents.map(rawTexts);
}

async function joinAll<T extends Document>(
  collection: Collection<T>,
  ranges: Range[],
): Promise<Record<string, Buffer>[][]> {
  const batchSize = ranges.reduce((rows, { limit }) => rows + limit, 1);
  const documents = await collection
    .aggregate<Uint8Array>(joinedRanges(collection.collectionName, ranges), {
      batchSize,
      hint: ranges[0]!.hint,
      raw: true,
    })
    .toArray();
  const rows = ranges.map((): Record<string, Buffer>[] => []);
  for (const document of documents) {
    const row = rawTexts(document);
    rows[Number(row['range']!.toString())]!.push(row);
  }
  return rows;
}

/**
 * A pipeline that reads several ranges, one after the other. Each row holds the number of its range. The hint of an
 * aggregate only applies to its first range. For the others, MongoDB's planner chooses the index. It chooses the same
 * one, because no other index has the rows in the order of the sort.
 */
export function joinedRanges(collection: string, ranges: Range[]): Document[] {
  const [first = [], ...others] = ranges.map(({ filter, sort, limit, projection }, range) => [
    { $match: filter },
    { $sort: sort },
    { $limit: limit },
    { $project: { ...projection, range: { $literal: String(range) } } },
  ]);
  return [...first, ...others.map((pipeline) => ({ $unionWith: { coll: collection, pipeline } }))];
}
