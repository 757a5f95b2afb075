import type { ThreadListQuery } from '../../../shared/contract/threads.js';
import { bytesAnswer, type Answer } from '../answer.js';
import { tags } from '../dependencies.js';
import type { Dependency, Handler, Input } from '../http/route.js';
import { isId } from '../ids.js';
import type { OpenCursors } from '../paging/cursors.js';
import { pageOf } from '../paging/page.js';
import { listCursor, listQuestion, listThreadsQuery } from './listThreadsQuery.js';
import type { ListRow, ReadPage } from './pageReader.js';

const BEGIN = Buffer.from('{"threads":[');
const COMMA = Buffer.from(',');

type ListInput = Pick<Input<unknown, ThreadListQuery>, 'params' | 'query'>;

/** GET /api/threads: a page of stored JSON items, joined as bytes. Throws VALIDATION_ERROR for a wrong cursor. */
export function listThreads(
  readPage: ReadPage,
  openCursors: OpenCursors,
): Handler<unknown, ThreadListQuery> {
  return async ({ query }) => {
    const cursors = await openCursors();
    const scan = listThreadsQuery(query, cursors);
    const rows = isKnownPlace(query) ? await readPage(scan) : [];
    const shown = isOfServer(rows, query.serverId) ? rows : [];
    return page(query, shown, ({ key }) => listCursor(query, key, cursors));
  };
}

/** What a page depends on. Undefined where its ids have not the form of an id: its answer is not cached. */
export function listThreadsDependsOn({ query }: ListInput): Dependency | undefined {
  if (!isKnownPlace(query)) return undefined;
  return {
    tags: [tags.list(query)],
    input: [listQuestion(query), query.limit, query.cursor],
  };
}

function page(
  { limit }: ThreadListQuery,
  rows: ListRow[],
  cursorOf: (last: ListRow) => string,
): Answer {
  const { shown, ...next } = pageOf(rows, limit, cursorOf);
  const items = shown.flatMap(({ item }, index) => (index === 0 ? [item] : [COMMA, item]));
  const end = `],${JSON.stringify(next).slice(1)}`;
  return bytesAnswer(Buffer.concat([BEGIN, ...items, Buffer.from(end)]));
}

/** Whether the given ids have the form of an id. Others match nothing, and must not become part of a scope token. */
function isKnownPlace({ serverId, channelId }: ThreadListQuery): boolean {
  return [serverId, channelId].every((id) => id === undefined || isId(id));
}

/**
 * Whether the rows belong to this server. A request may name a channel of another server. A channel belongs to one
 * server, so it is enough to look at the first row.
 */
function isOfServer(rows: ListRow[], serverId: string | undefined): boolean {
  return serverId === undefined || rows[0]?.serverId === serverId;
}
