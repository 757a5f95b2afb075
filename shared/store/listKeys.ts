import type { ThreadSort, ThreadStatusFilter } from '../contract/threads.js';
import type { ThreadItemView } from './views.js';

/** A filter combination of the thread list. The tag is already folded by foldTag. */
export interface ListFilter {
  serverId?: string;
  channelId?: string;
  tag?: string;
  status: ThreadStatusFilter | 'archived';
}

/** The field that each sort reads, and in which direction. */
export const LIST_SORTS = {
  latest: { field: 'latestKey', direction: -1 },
  oldest: { field: 'latestKey', direction: 1 },
  popular: { field: 'popularKey', direction: -1 },
  recently_active: { field: 'activeKey', direction: -1 },
  unanswered: { field: 'unansweredKey', direction: 1 },
} as const satisfies Record<
  ThreadSort,
  { field: `${string}Key` & keyof ThreadItemView; direction: 1 | -1 }
>;

/** A field that a list of threads is sorted by. */
export type ListField = (typeof LIST_SORTS)[ThreadSort]['field'];

/** The form of a tag's name by which tags are compared: whole names, ignoring case and Unicode form. */
export function foldTag(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim();
}

/**
 * The token of one filter combination. Ids hold only digits, and the tag stands last, so no two combinations share a
 * token. A channel belongs to one server. So a filter by both has the channel's token, and the caller checks the
 * server.
 */
export function listScope(filter: ListFilter): string {
  const place = filter.channelId
    ? `c${filter.channelId}`
    : filter.serverId
      ? `s${filter.serverId}`
      : '*';
  return `${place}/${filter.status}/${filter.tag ?? ''}`;
}

/**
 * The tokens of all lists that a thread is in. There are lists of all servers, of one server and of one channel; each
 * for any status and for one status; and each for any tag and for one tag.
 */
export function listScopes(thread: {
  serverId: string;
  channelId: string;
  status: Exclude<ListFilter['status'], 'all'>;
  tags: readonly string[];
}): string[] {
  const places = [{}, { serverId: thread.serverId }, { channelId: thread.channelId }];
  const tags = [undefined, ...new Set(thread.tags.map(foldTag))];
  return places.flatMap((place) =>
    (['all', thread.status] as const).flatMap((status) =>
      tags.map((tag) => listScope({ ...place, status, ...(tag === undefined ? {} : { tag }) })),
    ),
  );
}

/** A snowflake as a fixed-width string that sorts as the number does. */
export function idKey(id: string): string {
  return id.padStart(20, '0');
}

/** A count as a fixed-width string that sorts as the number does (0 to 9,999,999,999). */
export function countKey(count: number): string {
  return String(count).padStart(COUNT_DIGITS, '0');
}

/**
 * The key of a line in a leaderboard. It sorts by count, descending, and then by id, ascending. Nobody has a count
 * beyond the greatest that fits. Where a source tells such a count, it sorts as the greatest.
 */
export function rankKey(count: number, userId: string): string {
  return countKey(Math.max(0, GREATEST_COUNT - count)) + idKey(userId);
}

/** The count in the key of a leaderboard's line. */
export function countOfRankKey(key: string): number {
  return GREATEST_COUNT - Number(key.slice(0, COUNT_DIGITS));
}

const COUNT_DIGITS = 10;
const GREATEST_COUNT = 10 ** COUNT_DIGITS - 1;

/** A time as a fixed-width string of milliseconds that sorts as times do. */
export function timeKey(time: Date): string {
  return String(Math.max(0, time.getTime())).padStart(15, '0');
}
