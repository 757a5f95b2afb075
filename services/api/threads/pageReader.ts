import type { Document } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import { gatherReads } from '../stores/gatherReads.js';
import { timeLimit } from '../timeLimit.js';
import type { ListQuery } from './listThreadsQuery.js';

/** A thread of a page: its JSON text, and what the next page is found by. */
export type ListRow = Record<ListQuery['field'] | 'item' | 'serverId', string>;

/** Reads the rows of one page, in order. */
export type ReadPage = (scan: ListQuery) => Promise<ListRow[]>;

/** The most pages of one call. With 101 threads each they still fit into one reply of MongoDB. */
const MOST_PAGES = 16;

/**
 * Reads pages of threads. One that is asked for alone is a find. Those that had to wait are one aggregate: a range for
 * each, joined. `refuse` throws while MongoDB is known to be away.
 */
export function pageReader(
  { threadItems }: Pick<Collections, 'threadItems'>,
  refuse: () => void,
): ReadPage {
  return gatherReads<ListQuery, ListRow[]>({
    ...{ refuse, most: MOST_PAGES },
    call: async (scans) =>
      scans.length === 1 ? [await findPage(threadItems, scans[0]!)] : joinPages(threadItems, scans),
  });
}

function findPage(threadItems: Collections['threadItems'], scan: ListQuery): Promise<ListRow[]> {
  return threadItems
    .find<ListRow>(scan.filter, { ...timeLimit(), projection: scan.projection, hint: scan.hint })
    .sort(scan.sort)
    .limit(scan.limit)
    .batchSize(scan.limit + 1)
    .toArray();
}

async function joinPages(
  threadItems: Collections['threadItems'],
  scans: ListQuery[],
): Promise<ListRow[][]> {
  const batchSize = scans.reduce((rows, { limit }) => rows + limit, 1);
  const rows = await threadItems
    .aggregate<ListRow & { page: number }>(joinedPages(threadItems.collectionName, scans), {
      ...{ ...timeLimit(), batchSize, hint: scans[0]!.hint },
    })
    .toArray();
  const pages = scans.map((): ListRow[] => []);
  for (const row of rows) pages[row.page]!.push(row);
  return pages;
}

/**
 * The pipeline that reads several pages, one after the other, each row with the number of its page. The hint of an
 * aggregate holds for its first range only. The planner finds the index of the others: it is the only one that gives
 * them their order.
 */
export function joinedPages(collection: string, scans: ListQuery[]): Document[] {
  const [first = [], ...others] = scans.map(({ filter, sort, limit, projection }, page) => [
    { $match: filter },
    { $sort: sort },
    { $limit: limit },
    { $project: { ...projection, page: { $literal: page } } },
  ]);
  return [...first, ...others.map((pipeline) => ({ $unionWith: { coll: collection, pipeline } }))];
}
