import { listCursor } from '../services/api/threads/listThreadsQuery.js';
import { createCursors } from '../services/api/paging/cursors.js';
import {
  THREAD_SORTS,
  type ThreadListQuery,
  type ThreadStatusFilter,
} from '../shared/contract/threads.js';
import type { Collections } from '../shared/store/collections.js';
import { listIndexName } from '../shared/store/indexes.js';
import { foldTag, LIST_SORTS, listScope } from '../shared/store/listKeys.js';
import { archiveSecret } from '../shared/store/secrets.js';

/** Pages of a list to be asked for. */
export interface ListQuestion {
  /** Sort, filters and page, as the table names them. */
  name: string;
  paths: string[];
}

const LIMIT = 10;
const DEEPEST_PAGE = 10_000;
/** Each question asks for so many pages in a row, so that not every request reads the same threads. */
const PAGES = 20;

/**
 * Every sort with every kind of filter, for page 1 and page 10,000 with ten threads each. In a shorter list, the last
 * pages are asked for.
 */
export async function listQuestions(collections: Collections): Promise<ListQuestion[]> {
  const questions: ListQuestion[] = [];
  for (const filter of await someFilters(collections)) {
    for (const sort of THREAD_SORTS) {
      const name = `${sort}, ${describe(filter)}`;
      const query = { status: 'all' as const, ...filter, sort, limit: LIMIT };
      questions.push(
        { name: `${name}, page 1`, paths: [pathOf(query)] },
        { name: `${name}, page 10,000`, paths: await deepPaths(collections, query) },
      );
    }
  }
  return questions;
}

type Filter = Pick<ThreadListQuery, 'serverId' | 'channelId' | 'tag'> & {
  status?: ThreadStatusFilter;
};

function describe(filter: Filter): string {
  const parts = Object.entries(filter).map(([name, value]) => (name === 'status' ? value : name));
  return parts.join(' and ') || 'no filter';
}

/** Each kind of filter alone, and two combinations. Server and channel are the largest ones. */
async function someFilters({ channels }: Collections): Promise<Filter[]> {
  const channel = (await channels.find().sort({ _id: 1 }).limit(1).next())!;
  const { serverId, _id: channelId } = channel;
  const tag = channel.availableTags![1]!.name;
  return [
    {},
    { serverId },
    { channelId },
    { tag },
    { status: 'open' },
    { status: 'resolved' },
    { status: 'locked' },
    { serverId, tag, status: 'open' },
    { channelId, tag, status: 'locked' },
  ];
}

async function deepPaths(collections: Collections, query: ThreadListQuery): Promise<string[]> {
  const { threadItems } = collections;
  const { field, direction } = LIST_SORTS[query.sort];
  const { tag, ...place } = query;
  const scope = listScope({ ...place, ...(tag === undefined ? {} : { tag: foldTag(tag) }) });
  const filter = { scopes: scope, [field]: { $gte: '' } };
  const hint = listIndexName(field);
  const length = await threadItems.countDocuments(filter, { hint });
  const before = Math.min(LIMIT * (DEEPEST_PAGE - 1), length - LIMIT);
  const skipped = Math.max(0, before - LIMIT * PAGES);
  const keys = await threadItems
    .find(filter, { hint, projection: { _id: 0, [field]: 1 } })
    .sort({ [field]: direction })
    .skip(skipped)
    .limit(Math.max(1, before - skipped))
    .map((item) => String(item[field]))
    .toArray();
  const cursors = createCursors(await archiveSecret(collections, 'cursors'));
  return keys
    .filter((_, n) => n % LIMIT === 0)
    .map((key) => `${pathOf(query)}&cursor=${listCursor(query, key, cursors)}`);
}

function pathOf(query: ThreadListQuery): string {
  const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return `/api/threads?${new URLSearchParams(Object.fromEntries(given) as Record<string, string>).toString()}`;
}
