import type { ThreadListQuery } from '../../../shared/contract/threads.js';
import type { Collections } from '../../../shared/store/collections.js';
import { jsonAnswer, type Answer } from '../answer.js';
import { tags } from '../dependencies.js';
import type { Dependency, Handler, Input } from '../http/route.js';
import { isId } from '../ids.js';
import { pageOf } from '../paging/page.js';
import { timeLimit } from '../timeLimit.js';
import { listCursor, listQuestion, listThreadsQuery, type ListQuery } from './listThreadsQuery.js';

type ListInput = Pick<Input<unknown, ThreadListQuery>, 'params' | 'query'>;
type Row = Record<ListQuery['field'] | 'item' | 'serverId', string>;

/** GET /api/threads: a page of stored texts, joined. Throws VALIDATION_ERROR for a wrong cursor. */
export function listThreads({
  threadItems,
}: Pick<Collections, 'threadItems'>): Handler<unknown, ThreadListQuery> {
  return async ({ query }) => {
    const scan = listThreadsQuery(query);
    const rows = isKnownPlace(query) ? await findRows(threadItems, scan) : [];
    return page(query, scan, isOfServer(rows, query.serverId) ? rows : []);
  };
}

/** A page changes with the threads of its narrowest place. */
export function listThreadsDependsOn({ query }: ListInput): Dependency | undefined {
  if (!isKnownPlace(query)) return undefined;
  return {
    tags: [tags.list(query)],
    input: [listQuestion(query), query.limit, query.cursor],
  };
}

function findRows(threadItems: Collections['threadItems'], scan: ListQuery): Promise<Row[]> {
  return threadItems
    .find<Row>(scan.filter, { ...timeLimit(), projection: scan.projection, hint: scan.hint })
    .sort(scan.sort)
    .limit(scan.limit)
    .batchSize(scan.limit + 1)
    .toArray();
}

function page(query: ThreadListQuery, { field }: ListQuery, rows: Row[]): Answer {
  const cursorOf = (last: Row) => listCursor(query, last[field]);
  const { shown, nextCursor, hasMore } = pageOf(rows, query.limit, cursorOf);
  return jsonAnswer(
    `{"threads":[${shown.map(({ item }) => item).join(',')}],` +
      `"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`,
  );
}

/** Ids that cannot be match nothing, and never reach the tokens of the lists. */
function isKnownPlace({ serverId, channelId }: ThreadListQuery): boolean {
  return [serverId, channelId].every((id) => id === undefined || isId(id));
}

/** A channel is of one server, so its rows all are, or none. */
function isOfServer(rows: Row[], serverId: string | undefined): boolean {
  return serverId === undefined || rows[0]?.serverId === serverId;
}
