import { AppError } from '../../../shared/contract/errors.js';
import type { Leaderboard, LeaderboardQuery } from '../../../shared/contract/users.js';
import type { Collections } from '../../../shared/store/collections.js';
import { RANK_INDEX } from '../../../shared/store/indexes.js';
import type { RankView } from '../../../shared/store/views.js';
import { identityOf, jsonAnswer } from '../answer.js';
import { findBody, type BodyStore } from '../bodies/findBody.js';
import type { Handler } from '../http/route.js';
import { isId } from '../ids.js';
import type { Cursors, OpenCursors } from '../paging/cursors.js';
import { pageOf } from '../paging/page.js';
import { gatherReads } from '../stores/gatherReads.js';
import { timeLimit } from '../timeLimit.js';

type Line = Pick<RankView, 'key' | 'count' | 'item'>;

/** A range of a leaderboard: its lines after a key. */
interface LineRange {
  board: string;
  after: string;
  limit: number;
}

export type ReadLines = (range: LineRange) => Promise<Line[]>;

/** Where a page begins, which is after the last line of the page before. Ranks are counted from page to page. */
interface Position {
  after: string;
  /** Lines before this one. */
  index: number;
  rank: number;
  count: number;
}

const START: Position = { after: '', index: 0, rank: 0, count: -1 };
const POSITION = /^(\d{20,40}) (\d{1,15}) (\d{1,15}) (\d{1,15})$/;

/** GET /leaderboard/:serverId: a page of stored lines, ranked. Throws NOT_FOUND, VALIDATION_ERROR. */
export function getLeaderboard(
  store: BodyStore,
  readLines: ReadLines,
  openCursors: OpenCursors,
): Handler<{ serverId: string }, LeaderboardQuery> {
  return async ({ params: { serverId }, query }) => {
    if (!isId(serverId)) throw new AppError('NOT_FOUND', 'Server not found');
    const board = `${serverId}/${query.type}/${query.period}/${query.excludeBots ? 'humans' : 'all'}`;
    const cursors = await openCursors();
    const start = query.cursor ? readCursor(cursors, board, query.cursor) : START;
    const [serverName, lines] = await Promise.all([
      findServerName(store, serverId),
      readLines({ board, after: start.after, limit: query.limit + 1 }),
    ]);
    const { shown, nextCursor, hasMore } = pageOf(rank(lines, start), query.limit, ({ position }) =>
      writeCursor(cursors, board, position),
    );
    const head: Omit<Leaderboard, 'leaderboard' | 'nextCursor' | 'hasMore'> = {
      serverId,
      serverName,
      type: query.type,
      period: query.period,
    };
    return jsonAnswer(
      `${JSON.stringify(head).slice(0, -1)},"leaderboard":[${shown.map(({ text }) => text).join(',')}],` +
        `"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`,
    );
  };
}

/** Pages that are read at once. */
const PAGES_AT_ONCE = 4;

/** Reads lines of leaderboards, a few pages at once. `refuse` throws while MongoDB is known to be away. */
export function lineReader({ ranks }: Pick<Collections, 'ranks'>, refuse: () => void): ReadLines {
  return gatherReads<LineRange, Line[]>({
    ...{ refuse, most: 1, atOnce: PAGES_AT_ONCE },
    call: async ([range]) => [await findLines(ranks, range!)],
  });
}

function findLines(ranks: Collections['ranks'], { board, after, limit }: LineRange) {
  return ranks
    .find<Line>({ boards: board, key: { $gt: after } }, { ...timeLimit(), hint: RANK_INDEX })
    .project<Line>({ _id: 0, key: 1, count: 1, item: 1 })
    .sort({ key: 1 })
    .limit(limit)
    .batchSize(limit + 1)
    .toArray();
}

/** Lines with equal counts share the rank of the first of them. */
function rank(lines: Line[], start: Position): { text: string; position: Position }[] {
  let before = start;
  return lines.map(({ key, count, item }) => {
    const index = before.index + 1;
    const shared = count === before.count;
    before = { after: key, index, rank: shared ? before.rank : index, count };
    return { text: `{"rank":${before.rank},${item}`, position: before };
  });
}

async function findServerName(store: BodyStore, serverId: string): Promise<string> {
  const body = await identityOf(await findBody(store, 'server', serverId));
  return (JSON.parse(body.toString()) as { name: string }).name;
}

function writeCursor(
  cursors: Cursors,
  board: string,
  { after, index, rank, count }: Position,
): string {
  return cursors.write([board], `${after} ${index} ${rank} ${count}`);
}

function readCursor(cursors: Cursors, board: string, cursor: string): Position {
  const [, after = '', index, rank, count] = cursors.read([board], cursor, POSITION);
  return { after, index: Number(index), rank: Number(rank), count: Number(count) };
}
