import type { ThreadListQuery } from '../../../shared/contract/threads.js';
import { listIndexName } from '../../../shared/store/indexes.js';
import { foldTag, LIST_SORTS, listScope, type ListField } from '../../../shared/store/listKeys.js';
import type { Cursors } from '../paging/cursors.js';
import type { Range } from '../stores/rangeReader.js';

/**
 * One page of a list, as a range of an index. It reads one row more than the page has, which shows whether another page
 * follows.
 */
export interface ListQuery extends Range {
  field: ListField;
}

const KEY = /^\d{20,40}$/;

/** The range that answers a list request. Throws VALIDATION_ERROR for a cursor of another question. */
export function listThreadsQuery(query: ThreadListQuery, cursors: Cursors): ListQuery {
  const { field, direction } = LIST_SORTS[query.sort];
  const after = query.cursor && cursors.read(listQuestion(query), query.cursor, KEY)[0];
  const scope = listScope(foldedFilter(query));
  return {
    filter: { scopes: scope, [field]: bound(after, direction) },
    sort: { [field]: direction },
    hint: listIndexName(field),
    limit: query.limit + 1,
    projection: { _id: 0, item: 1, serverId: 1, [field]: 1 },
    field,
  };
}

/** The cursor of the page that follows the row with this key. */
export function listCursor(query: ThreadListQuery, key: string, cursors: Cursors): string {
  return cursors.write(listQuestion(query), key);
}

/**
 * The sort and all filters of a list request, as a list of values, without cursor and limit. Answers are kept under
 * this list, and a cursor is valid only for it. Without one of the filters, requests that differ in it would count as
 * the same. So the type of `asked` names each filter, and the compiler demands all of them.
 */
export function listQuestion(query: ThreadListQuery): (string | null)[] {
  const { serverId = null, channelId = null, tag = null, status } = foldedFilter(query);
  const asked: Record<Exclude<keyof ThreadListQuery, 'limit' | 'cursor'>, string | null> = {
    sort: query.sort,
    status,
    serverId,
    channelId,
    tag,
  };
  return Object.values(asked);
}

function foldedFilter({ serverId, channelId, tag, status }: ThreadListQuery) {
  return {
    ...(serverId !== undefined && { serverId }),
    ...(channelId !== undefined && { channelId }),
    ...(tag !== undefined && { tag: foldTag(tag) }),
    status,
  };
}

/**
 * Where the range begins. The first page needs a bound, too, because the partial index of `unansweredKey` needs a
 * condition on that field.
 */
function bound(after: string | undefined, direction: 1 | -1): Record<string, string> {
  if (after) return direction === 1 ? { $gt: after } : { $lt: after };
  return { $gte: '' };
}
