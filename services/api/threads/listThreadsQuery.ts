import type { ThreadListQuery } from '../../../shared/contract/threads.js';
import { listIndexName } from '../../../shared/store/indexes.js';
import { foldTag, LIST_SORTS, listScope, type ListField } from '../../../shared/store/listKeys.js';
import type { Cursors } from '../paging/cursors.js';
import type { Range } from '../stores/rangeReader.js';

/** The range of an index that holds one page of a list. `field` is the field that the list is sorted by. */
export interface ListQuery extends Range {
  field: ListField;
}

const KEY = /^\d{20,40}$/;

/**
 * The range that answers a list request. It has one row more than the page, which shows whether another page follows.
 * Throws VALIDATION_ERROR for a cursor of another question.
 */
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

/** The cursor of the page that begins after the row with this key. */
export function listCursor(query: ThreadListQuery, key: string, cursors: Cursors): string {
  return cursors.write(listQuestion(query), key);
}

/**
 * The sort and all filters of a list request, as a list of values. The response cache uses them as the key of an
 * answer, and a cursor is only valid for the same ones. A filter that is missing here would make two different requests
 * count as the same. So the type of `asked` makes the compiler demand each parameter, except for the cursor and the
 * limit.
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
 * The condition on the sort key that begins a page after the last key of the page before. The first page has a
 * condition that every key meets, because MongoDB only uses the partial index of `unansweredKey` for a condition on
 * that field.
 */
function bound(after: string | undefined, direction: 1 | -1): Record<string, string> {
  if (after) return direction === 1 ? { $gt: after } : { $lt: after };
  return { $gte: '' };
}
