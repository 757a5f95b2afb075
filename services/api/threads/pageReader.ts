import type { Document } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import { gatherReads } from '../stores/gatherReads.js';
import { rawTexts } from '../stores/rawTexts.js';
import { timeLimit } from '../timeLimit.js';
import type { ListQuery } from './listThreadsQuery.js';

/** A thread of a page: its JSON text as bytes, and what the next page is found by. */
export interface ListRow {
  item: Buffer;
  serverId: string;
  key: string;
}

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

async function findPage(
  threadItems: Collections['threadItems'],
  { filter, projection, hint, sort, limit, field }: ListQuery,
): Promise<ListRow[]> {
  const documents = await threadItems
    .find<Uint8Array>(filter, { ...timeLimit(), projection, hint, raw: true })
    .sort(sort)
    .limit(limit)
    .batchSize(limit + 1)
    .toArray();
  return documents.map((document) => rowOf(rawTexts(document), field));
}

async function joinPages(
  threadItems: Collections['threadItems'],
  scans: ListQuery[],
): Promise<ListRow[][]> {
  const batchSize = scans.reduce((rows, { limit }) => rows + limit, 1);
  const documents = await threadItems
    .aggregate<Uint8Array>(joinedPages(threadItems.collectionName, scans), {
      ...{ ...timeLimit(), batchSize, hint: scans[0]!.hint, raw: true },
    })
    .toArray();
  const pages = scans.map((): ListRow[] => []);
  for (const document of documents) {
    const texts = rawTexts(document);
    const page = Number(texts['page']!.toString());
    pages[page]!.push(rowOf(texts, scans[page]!.field));
  }
  return pages;
}

function rowOf(texts: Record<string, Buffer>, field: string): ListRow {
  const { item, serverId } = texts;
  return { item: item!, serverId: serverId!.toString(), key: texts[field]!.toString() };
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
    { $project: { ...projection, page: { $literal: String(page) } } },
  ]);
  return [...first, ...others.map((pipeline) => ({ $unionWith: { coll: collection, pipeline } }))];
}
