import { verifyArchive } from '../../services/indexer/verify/verifyArchive.js';
import type { ServerStats } from '../../shared/contract/servers.js';
import type { SearchResponse } from '../../shared/contract/search.js';
import type { ThreadDetail, ThreadPage } from '../../shared/contract/threads.js';
import type { Leaderboard } from '../../shared/contract/users.js';
import { searchAlias } from '../../shared/store/searchIndex.js';
import { createLogger } from '../../shared/platform/logger.js';
import { until } from '../support/apiServer.js';
import { indexerDeps } from '../support/indexerDeps.js';
import type { Answer, ArchiveClient } from './archiveClient.js';
import { contentOf, isKept, type Ledger, type LedgerMessage, type LedgerThread } from './ledger.js';
import type { Rig } from './rig.js';

/** Compares an archive at rest with all that was asked of it. Each difference is described in a sentence. */
export async function checkArchive(
  client: ArchiveClient,
  ledger: Ledger,
  direct: Rig['direct'],
): Promise<string[]> {
  const kept = ledger.threads.filter(isKept);
  // This comes before the verification, which refreshes the index.
  const searched = await checkSearch(client, kept, direct);
  // This comes before the statistics are refreshed. That counts everybody again, so it would hide a count that is
  // missing.
  const differing = await verify(direct);
  // Statistics may be a minute old by design, unless they are refreshed.
  const refresh = `/admin/servers/${ledger.serverId}/stats/refresh`;
  await client.perform({ method: 'POST', path: refresh });
  const problems = [
    ...searched,
    ...differing,
    ...(await checkThreads(client, ledger.threads)),
    ...(await checkLists(client, ledger, kept)),
    ...(await checkCounts(client, ledger, kept)),
    ...(await checkPeople(client, ledger)),
  ];
  return problems;
}

/** The differences that `verify` finds. */
async function verify(direct: Rig['direct']): Promise<string[]> {
  const deps = indexerDeps({ ...direct, logger: createLogger('verify', 'silent') });
  const report = await verifyArchive(deps);
  return report.clean ? [] : [`verify: ${JSON.stringify(report)}`];
}

function keptMessages(threads: LedgerThread[]): LedgerMessage[] {
  return threads.flatMap(({ messages }) => messages.filter(isKept));
}

/** The answer to a request. It is asked again while a store is too slow, as any may be on a busy machine. */
async function ask(client: Pick<ArchiveClient, 'ask'>, path: string): Promise<Answer> {
  let answer: Answer | undefined;
  await until(async () => {
    answer = await client.ask('GET', path);
    return answer.status !== 503;
  }).catch(() => Promise.reject(new Error(`${path} answered 503 all the time at the end`)));
  return answer!;
}

async function get<T>(client: Pick<ArchiveClient, 'ask'>, path: string): Promise<T> {
  const answer = await ask(client, path);
  if (answer.status === 200) return answer.body as T;
  throw new Error(`${path} answered ${answer.status} at the end`);
}

async function checkThreads(
  client: Pick<ArchiveClient, 'ask'>,
  threads: LedgerThread[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const thread of threads) {
    const { status, body } = (await ask(client, `/api/threads/${thread.id}`)) as {
      status: number;
      body: ThreadDetail;
    };
    if (status !== (isKept(thread) ? 200 : 404)) {
      problems.push(`Thread ${thread.id} answers ${status} at the end`);
    } else if (status === 200) {
      problems.push(...differences(thread, body));
    }
  }
  return problems;
}

function differences(thread: LedgerThread, body: ThreadDetail): string[] {
  const expected = keptMessages([thread]).map(contentOf).sort();
  const shown = body.messages.map(({ content }) => content.split(' ').slice(0, 4).join(' ')).sort();
  const missing = expected.filter((content) => !shown.includes(content));
  const extra = shown.filter((content) => !expected.includes(content));
  return [
    ...missing.map((content) => `Thread ${thread.id} lacks "${content}"`),
    ...extra.map((content) => `Thread ${thread.id} shows "${content}"`),
    ...isOther(`title of ${thread.id}`, body.title, `Anchor ${thread.id} title${thread.titleEdit}`),
    ...isOther(`channel of ${thread.id}`, body.channelName, `forum ${thread.channel.nameEdit}`),
    ...isOther(`messageCount of ${thread.id}`, body.messageCount, expected.length),
  ];
}

function isOther(what: string, found: unknown, expected: unknown): string[] {
  if (found === expected) return [];
  return [`The ${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`];
}

async function checkLists(
  client: Pick<ArchiveClient, 'ask'>,
  { serverId }: Ledger,
  kept: LedgerThread[],
): Promise<string[]> {
  const listed: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const more: string = cursor && `&cursor=${cursor}`;
    const page: ThreadPage = await get(
      client,
      `/api/threads?serverId=${serverId}&limit=100&sort=oldest${more}`,
    );
    listed.push(...page.threads.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  const expected = kept.map(({ id }) => id).sort();
  return isOther('list of threads', listed.sort().join(), expected.join());
}

async function checkCounts(
  client: Pick<ArchiveClient, 'ask'>,
  { serverId }: Ledger,
  kept: LedgerThread[],
): Promise<string[]> {
  const messages = keptMessages(kept);
  const byAuthor = new Map<string, number>();
  for (const { author } of messages) {
    byAuthor.set(author.user.id, (byAuthor.get(author.user.id) ?? 0) + 1);
  }
  const { stats } = await get<ServerStats>(client, `/api/servers/${serverId}/stats`);
  const { leaderboard } = await get<Leaderboard>(
    client,
    `/leaderboard/${serverId}?type=messages&limit=100`,
  );
  const counted = Object.fromEntries(leaderboard.map(({ userId, count }) => [userId, count]));
  const wrong = [...byAuthor].filter(([userId, count]) => counted[userId] !== count);
  return [
    ...isOther('number of threads', stats.threads.total, kept.length),
    ...isOther('number of messages', stats.messages.total, messages.length),
    ...isOther('number of participants', stats.participants.unique, byAuthor.size),
    ...isOther('number of lines of the leaderboard', leaderboard.length, byAuthor.size),
    ...wrong.map(([id, count]) => `${id} has ${counted[id] ?? 0} of ${count} in the leaderboard`),
  ];
}

/** What search still gets wrong after a while. Elasticsearch has to refresh the index by itself. */
async function checkSearch(
  client: Pick<ArchiveClient, 'ask'>,
  kept: LedgerThread[],
  direct: Rig['direct'],
): Promise<string[]> {
  let wrong: string[] = [];
  const isRight = async (): Promise<boolean> => {
    wrong = await compareSearch(client, kept, direct).catch((error: unknown) => [String(error)]);
    return wrong.length === 0;
  };
  await until(isRight).catch(() => undefined);
  return wrong;
}

async function compareSearch(
  client: Pick<ArchiveClient, 'ask'>,
  kept: LedgerThread[],
  { elasticsearch, mongo }: Rig['direct'],
): Promise<string[]> {
  const index = searchAlias(mongo.namespace);
  const messages = keptMessages(kept);
  const found = await get<SearchResponse>(client, '/api/search?q=anchor&limit=1');
  const { hits } = await elasticsearch.search<{ messageId: string; content: string }>({
    index,
    size: 10_000,
    query: { term: { kind: 'message' } },
    _source: ['messageId', 'content'],
  });
  const stored = hits.hits.flatMap(({ _source }) => _source ?? []);
  const contents = new Map(stored.map(({ messageId, content }) => [messageId, content]));
  const stale = messages.filter((one) => !contents.get(one.id)?.startsWith(contentOf(one)));
  return [
    ...isOther('number of threads found', found.threadCount, kept.length),
    ...isOther('number of messages found', found.messageCount, messages.length),
    ...isOther('number of messages in the index', stored.length, messages.length),
    ...stale.map((one) => `The index holds "${contents.get(one.id) ?? ''}", not ${contentOf(one)}`),
  ];
}

async function checkPeople(
  client: Pick<ArchiveClient, 'ask'>,
  { people }: Ledger,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { user } of people.filter(({ gone }) => gone.isPlanned)) {
    const { status } = await ask(client, `/users/${user.id}`);
    if (status !== 404)
      problems.push(`The profile of ${user.id}, who is erased, answers ${status}`);
  }
  return problems;
}
