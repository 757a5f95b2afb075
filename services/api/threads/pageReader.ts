import type { Collections } from '../../../shared/store/collections.js';
import type { AskLimits } from '../../../shared/platform/gatherReads.js';
import { rangeReader } from '../stores/rangeReader.js';
import type { ListQuery } from './listThreadsQuery.js';

/** A thread of a page: its JSON as UTF-8 bytes, its server, and its sort key, after which the next page begins. */
export interface ListRow {
  item: Buffer;
  serverId: string;
  key: string;
}

/** Reads the rows of one range, in order. */
export type ReadPage = (scan: ListQuery) => Promise<ListRow[]>;

/** Makes a reader of pages of threads. */
export function pageReader(
  { threadItems }: Pick<Collections, 'threadItems'>,
  limits: AskLimits,
): ReadPage {
  const read = rangeReader(threadItems, limits);
  return async (scan) => (await read(scan)).map((texts) => rowOf(texts, scan.field));
}

function rowOf(texts: Record<string, Buffer>, field: string): ListRow {
  const { item, serverId } = texts;
  return { item: item!, serverId: serverId!.toString(), key: texts[field]!.toString() };
}
