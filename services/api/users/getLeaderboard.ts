import { LRUCache } from 'lru-cache';
import { AppError } from '../../../shared/contract/errors.js';
import type { Leaderboard, LeaderboardQuery } from '../../../shared/contract/users.js';
import type { Collections } from '../../../shared/store/collections.js';
import { RANK_INDEX } from '../../../shared/store/indexes.js';
import { countOfRankKey } from '../../../shared/store/listKeys.js';
import { bytesAnswer, identityOf } from '../answer.js';
import { findBody, type BodyStore } from '../bodies/findBody.js';
import type { Handler } from '../http/route.js';
import { isId } from '../ids.js';
import type { Cursors, OpenCursors } from '../paging/cursors.js';
import { pageOf } from '../paging/page.js';
import type { AskLimits } from '../../../shared/platform/gatherReads.js';
import { rangeReader } from '../stores/rangeReader.js';

/** A stored line: its sort key, and its JSON as UTF-8 bytes, without the opening brace and the rank. */
interface Line {
  key: string;
  item: Buffer;
}

/** At most `limit` lines of a leaderboard, after the line with the key `after`. */
interface LineRange {
  board: string;
  after: string;
  limit: number;
}

/** Reads the lines of a range, in order. */
export type ReadLines = (range: LineRange) => Promise<Line[]>;

/** The last line of a page. The next page begins after it, and continues its ranks. */
interface Position {
  /** The sort key of the line. */
  after: string;
  /** The number of the line on the whole leaderboard, from 1. It is 0 before the first line. */
  index: number;
  rank: number;
  /** What the line is ranked by. Lines with the same count share a rank. */
  count: number;
}

const START: Position = { after: '', index: 0, rank: 0, count: -1 };
const POSITION = /^(\d{20,40}) (\d{1,15}) (\d{1,15}) (\d{1,15})$/;

/**
 * GET /leaderboard/:serverId: a page of stored lines with their ranks, joined as bytes. Throws NOT_FOUND, and
 * VALIDATION_ERROR for a wrong cursor.
 */
export function getLeaderboard(
  store: BodyStore,
  readLines: ReadLines,
  openCursors: OpenCursors,
): Handler<{ serverId: string }, LeaderboardQuery> {
  const findServerName = serverNames(store);
  return async ({ params: { serverId }, query }) => {
    if (!isId(serverId)) throw new AppError('NOT_FOUND', 'Server not found');
    const board = `${serverId}/${query.type}/${query.period}/${query.excludeBots ? 'humans' : 'all'}`;
    const cursors = await openCursors();
    const start = query.cursor ? readCursor(cursors, board, query.cursor) : START;
    const [serverName, lines] = await Promise.all([
      findServerName(serverId),
      readLines({ board, after: start.after, limit: query.limit + 1 }),
    ]);
    const { shown, ...next } = pageOf(rank(lines, start), query.limit, ({ position }) =>
      writeCursor(cursors, board, position),
    );
    const head: Omit<Leaderboard, 'leaderboard' | 'nextCursor' | 'hasMore'> = {
      serverId,
      serverName,
      type: query.type,
      period: query.period,
    };
    const begin = `${JSON.stringify(head).slice(0, -1)},"leaderboard":[`;
    const end = `],${JSON.stringify(next).slice(1)}`;
    const items = shown.flatMap(({ item, position }, index) => [
      Buffer.from(`${index === 0 ? '' : ','}{"rank":${position.rank},`),
      item,
    ]);
    return bytesAnswer(Buffer.concat([Buffer.from(begin), ...items, Buffer.from(end)]));
  };
}

/** Makes a reader of leaderboard lines. */
export function lineReader({ ranks }: Pick<Collections, 'ranks'>, limits: AskLimits): ReadLines {
  const read = rangeReader(ranks, limits);
  return async ({ board, after, limit }) => {
    const rows = await read({
      filter: { boards: board, key: { $gt: after } },
      sort: { key: 1 },
      hint: RANK_INDEX,
      limit,
      projection: { _id: 0, key: 1, item: 1 },
    });
    return rows.map(({ key, item }) => ({ key: key!.toString('latin1'), item: item! }));
  };
}

/** Gives each line its rank. Lines with equal counts share the rank of the first of them. */
function rank(lines: Line[], start: Position): { item: Buffer; position: Position }[] {
  let before = start;
  return lines.map(({ key, item }) => {
    const index = before.index + 1;
    const count = countOfRankKey(key);
    const shared = count === before.count;
    before = { after: key, index, rank: shared ? before.rank : index, count };
    return { item, position: before };
  });
}

/** How many names of servers are remembered at most. */
const MOST_NAMES = 1_000;

/**
 * Makes a reader of the names of servers, which it finds in their stored bodies. It remembers each name by the entity
 * tag of the body, so that it decompresses a body only once. Throws NOT_FOUND.
 */
function serverNames(store: BodyStore): (serverId: string) => Promise<string> {
  const names = new LRUCache<string, string>({ max: MOST_NAMES });
  return async (serverId) => {
    const answer = await findBody(store, 'server', serverId);
    const known = names.get(answer.etag);
    if (known !== undefined) return known;
    const { name } = JSON.parse((await identityOf(answer)).toString()) as { name: string };
    names.set(answer.etag, name);
    return name;
  };
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
