import {
  ChannelType,
  type APIChannel,
  type APIMessage,
  type APIThreadChannel,
} from 'discord-api-types/v10';
import { expect } from 'chai';
import { createRandom } from '../../faults/random.js';
import { ROUTES } from '../../support/discord/rest/routes.js';
import { randomOperation } from '../../support/discord/history/randomOperation.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble, RequestEntry } from '../../support/discord/types.js';
import { startPlatform } from '../../support/platformDouble.js';
import {
  createJudge,
  DEVIATIONS,
  readDescription,
  type Description,
  type Judge,
} from './apiDescription.js';
import { ask, read } from './restClient.js';

interface Exchange {
  entry: RequestEntry;
  body: unknown;
}

const SEEDS = [1, 2, 3];

describe("The platform's description of its API", () => {
  let description: Description;
  let judge: Judge;
  let exchanges: Exchange[];

  before(async function () {
    const found = readDescription();
    if (!found) {
      console.log('    skipped: discord-openapi.json is not in DISCORD_OPENAPI_DIR or ../shared');
      return this.skip();
    }
    description = found;
    judge = createJudge(description, DEVIATIONS);
    exchanges = [];
    for (const seed of SEEDS) exchanges.push(...(await runOf(seed)));
  });

  it('describes every request of a run over several seeds', () => {
    const problems = exchanges
      .filter(({ entry }) => entry.status === 200 && entry.route !== 'refreshUrls')
      .flatMap(({ entry: { method, path } }) =>
        judge.judgeRequest(method, path).map((problem) => `${path}: ${problem}`),
      );
    expect(problems).to.deep.equal([]);
  });

  it('describes every answer, and no answer holds more than it describes', () => {
    const judged = exchanges.filter(
      ({ entry: { route, status } }) => route !== 'refreshUrls' && status > 0 && status < 500,
    );
    const problems = judged.flatMap(({ entry: { path, status }, body }) => {
      const [first, ...more] = judge.judgeAnswer(path, status, body);
      return first === undefined ? [] : [`${path} ${status}: ${first} and ${more.length} more`];
    });
    expect(problems.slice(0, 5)).to.deep.equal([]);
    const statuses = new Set(judged.map(({ entry: { status } }) => status));
    expect(statuses).to.deep.equal(new Set([200, 400, 401, 403, 404, 429]));
    const routes = new Set(judged.map(({ entry: { route } }) => route));
    const known = ROUTES.filter(({ method }) => method === 'GET').map(({ name }) => name);
    expect(routes, 'readAll has to ask for every route').to.deep.equal(new Set(known));
  });

  it('describes what the double for logins tells of a user, and its refusals', async () => {
    const platform = await startPlatform();
    const tokens = [{ guilds: true }, { guilds: true, avatar: null }, { guilds: false }].map(
      (options) => platform.newToken('100000000000000006', options),
    );
    const problems: string[] = [];
    const statuses = new Set<number>();
    for (const mood of ['well', 'barred', 'limited', 'token limited'] as const)
      for (const token of [...tokens, 'wrong'])
        for (const path of ['/users/@me', '/users/@me/guilds']) {
          platform.mood = mood;
          const headers = { Authorization: `Bearer ${token}` };
          const { status, body } = await answerTo(`${platform.url}${path}`, headers);
          statuses.add(status);
          problems.push(...judge.judgeAnswer(path, status, body));
        }
    await platform.close();
    expect(problems).to.deep.equal([]);
    expect(statuses).to.deep.equal(new Set([200, 401, 403, 429]));
  });

  it('finds what is invented, left out, or of the wrong form', () => {
    const { entry, body } = exchanges.find(({ entry: { path } }) =>
      path.includes('?with_counts='),
    )!;
    const altered = (values: object): string[] =>
      judge.judgeAnswer(entry.path, 200, { ...(body as object), ...values });
    expect(altered({})).to.deep.equal([]);
    expect(altered({ invented: 1 }).join()).to.include('invented');
    expect(altered({ name: undefined }).join()).to.include('name');
    expect(altered({ owner_id: '12' }).join()).to.include('snowflake');
    expect(judge.judgeRequest('GET', `${entry.path}&invented=1`)).not.to.deep.equal([]);
    const archived = `/channels/100000000000000000/threads/archived/public`;
    expect(judge.judgeRequest('GET', `${archived}?limit=100`)).to.deep.equal([]);
    expect(judge.judgeRequest('GET', `${archived}?limit=1`)).not.to.deep.equal([]);
  });

  describe('is not followed', () => {
    let strict: Judge;

    before(() => {
      strict = createJudge(description, []);
    });

    for (const { where, reason, met } of DEVIATIONS) {
      it(`in ${where}: ${reason}`, () => {
        const isRefused = exchanges
          .filter(({ entry: { route, status } }) => route === met.route && status === met.status)
          .some(({ entry, body }) => strict.judgeAnswer(entry.path, entry.status, body).length > 0);
        expect(isRefused).to.equal(true);
      });
    }
  });
});

async function answerTo(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: unknown }> {
  const reply = await fetch(url, { headers });
  return { status: reply.status, body: await reply.json() };
}

/**
 * All requests and answers of a client that reads everything, before and after some changes, and is sometimes refused.
 */
async function runOf(seed: number): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  const double = await startDiscord({
    seed,
    rateLimits: false,
    messageContent: seed % 2 === 1,
    history: { threads: 10, messages: 25, weeks: 250 },
  });
  double.onAnswer((entry, body) => {
    exchanges.push({ entry, body: JSON.parse(JSON.stringify(body)) as unknown });
  });
  await readAll(double);
  const random = createRandom(seed);
  for (let count = 0; count < 60; count += 1) randomOperation(double.model, random);
  await readAll(double);
  await beRefused(double);
  await double.close();
  return exchanges;
}

async function readAll(double: DiscordDouble): Promise<void> {
  for (const path of [
    '/users/@me',
    '/applications/@me',
    '/oauth2/applications/@me',
    '/gateway',
    '/gateway/bot',
  ]) {
    await read(double, path);
  }
  const [{ id: guildId }] = (await read(double, '/users/@me/guilds?limit=1')) as [{ id: string }];
  const guild = `/guilds/${guildId}`;
  await read(double, `${guild}?with_counts=true`);
  await read(double, `${guild}/roles`);
  await read(double, `${guild}/members/${double.model.bot.id}`);
  const active = (await read(double, `${guild}/threads/active`)) as { threads: { id: string }[] };
  const threadIds = active.threads.map(({ id }) => id);
  for (const { id, type } of (await read(double, `${guild}/channels`)) as APIChannel[]) {
    await read(double, `/channels/${id}`);
    if (type === ChannelType.GuildCategory) continue;
    threadIds.push(...(await readArchived(double, id)));
    if (type !== ChannelType.GuildForum && type !== ChannelType.GuildMedia) threadIds.push(id);
  }
  for (const threadId of threadIds) {
    const place = `/channels/${threadId}`;
    await read(double, place);
    const messages = (await read(double, `${place}/messages?limit=100`)) as APIMessage[];
    await read(double, `${place}/messages/pins?limit=50`);
    for (const { id } of messages.slice(0, 1)) {
      await read(double, `${place}/messages/${id}`);
      await read(double, `${place}/messages?after=0&limit=2`);
    }
  }
}

async function readArchived(double: DiscordDouble, forumId: string): Promise<string[]> {
  const ids: string[] = [];
  const path = `/channels/${forumId}/threads/archived/public`;
  for (let query = 'limit=2'; query;) {
    const reply = await ask(double, `${path}?${query}`);
    if (reply.status !== 200) break;
    const { threads, has_more: hasMore } = reply.json() as {
      threads: APIThreadChannel[];
      has_more: boolean;
    };
    ids.push(...threads.map(({ id }) => id));
    const before = threads.at(-1)?.thread_metadata?.archive_timestamp ?? '';
    query = hasMore ? `limit=2&before=${encodeURIComponent(before)}` : '';
  }
  return ids;
}

async function beRefused(double: DiscordDouble): Promise<void> {
  const [guildId] = [...double.model.guilds.keys()];
  await ask({ url: double.url, token: 'other' }, '/users/@me');
  await ask(double, `/guilds/${guildId}0/channels`);
  await ask(double, '/channels/999999999999999999/messages');
  await ask(double, `/users/@me/guilds?limit=300`);
  double.faults.next('shared');
  await ask(double, '/users/@me');
}
