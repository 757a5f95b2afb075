import { expect } from 'chai';
import type Joi from 'joi';
import { pathMatcher } from '../../services/api/http/matchPaths.js';
import type { Route } from '../../services/api/http/route.js';
import { operations } from '../../shared/contract/operations.js';
import type { ThreadPage } from '../../shared/contract/threads.js';
import { THREAD_SORTS, THREAD_STATUS_FILTERS } from '../../shared/contract/threads.js';
import type { ChannelList, Server, TagList } from '../../shared/contract/servers.js';
import type { Leaderboard } from '../../shared/contract/users.js';
import type { TestArchive } from './archive.js';

/** The ids of all threads in a list, page after page. */
export async function walkThreads(
  archive: TestArchive,
  query: string,
  limit: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const from: string = cursor && `&cursor=${cursor}`;
    const page: ThreadPage = await archive.json(`/api/threads?${query}&limit=${limit}${from}`);
    ids.push(...page.threads.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return ids;
}

/**
 * Every public answer of an archive, by path: everything that readers could see, except for search. Fails where an
 * answer is not as the API's document says.
 */
export async function everyAnswer(archive: TestArchive): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>();
  const ask = async <T>(path: string): Promise<T> => {
    const answer = await archive.json<T>(path);
    const { error } = schemaOf(path).validate(answer, { convert: false });
    expect(error, path).to.equal(undefined);
    answers.set(path, withoutCursor(answer));
    return answer;
  };
  const { servers } = await ask<{ servers: Server[] }>('/api/servers');
  const users = new Set<string>();
  for (const { id } of servers) {
    await ask(`/api/servers/${id}`);
    await ask(`/api/servers/${id}/stats`);
    const { channels } = await ask<ChannelList>(`/api/servers/${id}/channels`);
    const { tags } = await ask<TagList>(`/api/servers/${id}/tags`);
    for (const path of boards(id)) {
      const board = await ask<Leaderboard>(path);
      for (const { userId } of board.leaderboard) users.add(userId);
    }
    for (const filter of [
      ...channels.map((channel) => `channelId=${channel.id}`),
      ...tags.map((tag) => `serverId=${id}&tag=${encodeURIComponent(tag.name)}`),
    ]) {
      await ask(`/api/threads?${filter}&limit=100`);
    }
  }
  for (const sort of THREAD_SORTS) {
    for (const status of THREAD_STATUS_FILTERS)
      await ask(`/api/threads?sort=${sort}&status=${status}&limit=100`);
  }
  for (const threadId of await walkThreads(archive, 'sort=oldest', 100)) {
    await ask(`/api/threads/${threadId}`);
    await ask(`/api/threads/${threadId}/participants`);
  }
  for (const userId of users) await ask(`/users/${userId}`);
  return answers;
}

const findOperation = pathMatcher(
  Object.values(operations)
    .filter(({ method }) => method === 'get')
    .map((operation) => ({ operation }) as Route),
);

/** The schema of the answer to GET `path`. */
function schemaOf(path: string): Joi.Schema {
  return findOperation(path)!.route.operation.response;
}

/** Replaces a cursor by whether there is one. Each archive signs cursors with a key of its own, so cursors differ. */
function withoutCursor(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('nextCursor' in answer)) return answer;
  return { ...answer, nextCursor: answer.nextCursor !== null };
}

function boards(serverId: string): string[] {
  return ['messages', 'threads', 'reactions'].flatMap((type) =>
    ['all', 'month', 'week'].map(
      (period) =>
        `/leaderboard/${serverId}?type=${type}&period=${period}&limit=100&excludeBots=false`,
    ),
  );
}
