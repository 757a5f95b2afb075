import type { ThreadPage } from '../shared/contract/threads.js';
import type { Leaderboard } from '../shared/contract/users.js';

/** What can be asked of an archive. It is found through the API of the archive, newest threads first. */
export interface Sample {
  serverIds: string[];
  threadIds: string[];
  userIds: string[];
  titles: string[];
  /** The cursors of the pages of LIST_PATH. */
  listCursors: string[];
  /** Leaderboards, with the cursors of their pages. */
  boards: { serverId: string; cursors: string[] }[];
  /** The thread whose number of messages is nearest to 30. */
  middling: { id: string; messageCount: number };
}

/** The list whose pages are asked for. */
export const LIST_PATH = '/api/threads?limit=20';
/** The leaderboard whose pages are asked for. */
export function boardPath(serverId: string): string {
  return `/leaderboard/${serverId}?limit=20`;
}

const MOST_PAGES = 1_000;
const MOST_BOARD_PAGES = 50;
const WANTED_MESSAGES = 30;

/** Reads a sample of an archive. `serverId` is needed where its API does not list its servers. */
export async function readSample(url: string, serverId: string | undefined): Promise<Sample> {
  const serverIds = serverId === undefined ? await listServers(url) : [serverId];
  const listCursors: string[] = [];
  const threads: ThreadPage['threads'] = [];
  for await (const { threads: some, nextCursor } of walk<ThreadPage>(url, LIST_PATH, MOST_PAGES)) {
    threads.push(...some);
    if (nextCursor) listCursors.push(nextCursor);
  }
  if (threads.length === 0) throw new Error(`The archive at ${url} has no threads`);
  const distance = ({ messageCount }: { messageCount: number }): number =>
    Math.abs(messageCount - WANTED_MESSAGES);
  const middling = threads.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  return {
    serverIds,
    listCursors,
    boards: await readBoards(url, serverIds),
    threadIds: threads.map(({ id }) => id),
    userIds: [...new Set(threads.map(({ author }) => author.id))],
    titles: threads.map(({ title }) => title),
    middling: { id: middling.id, messageCount: middling.messageCount },
  };
}

async function listServers(url: string): Promise<string[]> {
  const { servers } = await read<{ servers: { id: string }[] }>(`${url}/api/servers`);
  return servers.map(({ id }) => id);
}

async function readBoards(url: string, serverIds: string[]): Promise<Sample['boards']> {
  const boards: Sample['boards'] = [];
  for (const serverId of serverIds) {
    const cursors: string[] = [];
    const pages = walk<Leaderboard>(url, boardPath(serverId), MOST_BOARD_PAGES);
    for await (const { nextCursor } of pages) if (nextCursor) cursors.push(nextCursor);
    boards.push({ serverId, cursors });
  }
  return boards;
}

async function* walk<Page extends { nextCursor: string | null }>(
  url: string,
  path: string,
  most: number,
): AsyncGenerator<Page> {
  let cursor: string | null = '';
  for (let pages = 0; pages < most && cursor !== null; pages += 1) {
    const from: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page = await read<Page>(`${url}${path}${from}`);
    cursor = page.nextCursor;
    yield page;
  }
}

async function read<T>(url: string): Promise<T> {
  const answer = await fetch(url);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`GET ${url} was answered with ${answer.status}: ${text}`);
  return JSON.parse(text) as T;
}
