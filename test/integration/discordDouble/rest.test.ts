import {
  ChannelType,
  PermissionFlagsBits,
  type APIChannel,
  type APIMessage,
  type APIThreadChannel,
} from 'discord-api-types/v10';
import { expect } from 'chai';
import type { Channel, Guild } from '../../support/discord/model/entities.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { ask, read } from './restClient.js';

const { ViewChannel, ReadMessageHistory } = PermissionFlagsBits;

interface ThreadPage {
  threads: APIThreadChannel[];
  has_more?: boolean;
}

describe('REST API of the platform double', () => {
  let double: DiscordDouble;
  let guild: Guild;
  let forum: Channel;

  beforeEach(async () => {
    double = await startDiscord({ history: null, rateLimits: false });
    guild = double.model.createGuild({ name: 'Rust' });
    forum = double.model.createChannel(guild.id, { type: ChannelType.GuildForum, name: 'help' });
  });

  afterEach(() => double.close());

  const aThread = (values: object = {}): string =>
    double.model.createThread(forum.id, { ownerId: double.model.bot.id, ...values }).id;
  const archive = (archiveMicros: number): string => {
    const threadId = aThread();
    double.model.updateThread(threadId, { isArchived: true, archiveMicros });
    return threadId;
  };
  const say = (threadId: string, content: string): string =>
    double.model.post(threadId, { authorId: double.model.bot.id, content }).id;
  const deny = (denied: bigint): void =>
    void double.model.setOverwrite(forum.id, { id: guild.id, type: 0, allow: 0n, deny: denied });
  /** Denies something to everybody, the bot included. */
  const denyAll = (denied: bigint): void => {
    deny(denied);
    const own = [...guild.roles.values()].find(({ botId }) => botId !== null)!;
    double.model.updateRole(guild.id, own.id, { permissions: 0n });
  };
  const archived = async (query: string): Promise<ThreadPage> =>
    (await read(double, `/channels/${forum.id}/threads/archived/public?${query}`)) as ThreadPage;
  const idsOf = ({ threads }: ThreadPage): string[] => threads.map(({ id }) => id);

  it('tells who the bot is and what it may do', async () => {
    expect(await read(double, '/users/@me')).to.include({ id: double.model.bot.id, bot: true });
    const { flags } = (await read(double, '/applications/@me')) as { flags: number };
    expect(flags & (1 << 19)).to.equal(1 << 19);
    expect(await read(double, '/users/@me/guilds')).to.have.nested.property('0.id', guild.id);
    expect(await read(double, '/gateway/bot')).to.have.nested.property(
      ...(['session_start_limit.remaining', 1_000] as const),
    );
  });

  it('refuses a wrong token, another version, an unknown path and a client without a name', async () => {
    const wrong = await ask({ url: double.url, token: 'other' }, '/users/@me');
    expect([wrong.status, wrong.json()]).to.deep.equal([
      401,
      { message: '401: Unauthorized', code: 0 },
    ]);
    const v6 = { url: double.url.replace('/v10', ''), token: double.token };
    expect((await ask(v6, '/users/@me')).status).to.equal(404);
    expect((await ask(double, '/users/@you')).status).to.equal(404);
    const nameless = await ask(double, '/users/@me', { headers: { 'User-Agent': 'curl' } });
    expect([nameless.status, (nameless.json() as { code: number }).code]).to.deep.equal([
      403, 40_333,
    ]);
    const { token } = double;
    double.resetToken();
    expect((await ask({ url: double.url, token }, '/users/@me')).status).to.equal(401);
    expect((await ask(double, '/users/@me')).status).to.equal(200);
  });

  it('lists the channels that the bot may see, and neither threads nor others', async () => {
    aThread();
    const hidden = double.model.createChannel(guild.id, { type: ChannelType.GuildMedia });
    const everyone = { id: guild.id, type: 0 as const, allow: 0n, deny: ViewChannel };
    double.model.setOverwrite(hidden.id, everyone);
    const channels = (await read(double, `/guilds/${guild.id}/channels`)) as APIChannel[];
    expect(channels.map(({ id }) => id)).to.deep.equal([forum.id]);
    const reply = await ask(double, `/channels/${hidden.id}`);
    expect([reply.status, (reply.json() as { code: number }).code]).to.deep.equal([403, 50_001]);
  });

  it('answers each unknown thing with a code of its own', async () => {
    const threadId = aThread();
    const codeOf = async (path: string): Promise<unknown> => {
      const reply = await ask(double, path);
      return [reply.status, (reply.json() as { code: number }).code];
    };
    const other = '999999999999999999';
    expect(await codeOf(`/guilds/${other}`)).to.deep.equal([404, 10_004]);
    expect(await codeOf(`/channels/${other}`)).to.deep.equal([404, 10_003]);
    expect(await codeOf(`/channels/${other}/messages`)).to.deep.equal([404, 10_003]);
    expect(await codeOf(`/channels/${threadId}/messages/${other}`)).to.deep.equal([404, 10_008]);
    expect(await codeOf(`/guilds/${guild.id}/members/${other}`)).to.deep.equal([404, 10_007]);
    expect(await codeOf(`/channels/${forum.id}/messages`)).to.deep.equal([400, 50_024]);
    double.model.deleteThread(threadId);
    expect(await codeOf(`/channels/${threadId}`)).to.deep.equal([404, 10_003]);
  });

  it('fails for a guild that is unavailable', async () => {
    double.model.setUnavailable(guild.id, true);
    expect((await ask(double, `/guilds/${guild.id}/channels`)).status).to.equal(503);
    expect((await ask(double, `/channels/${forum.id}`)).status).to.equal(503);
  });

  it('lists active threads newest first, and archived ones by the moment of their archiving', async () => {
    const [older, newer] = [aThread(), aThread()];
    const late = archive(3_000_000_000_000_000);
    const early = archive(2_000_000_000_000_000);
    const active = (await read(double, `/guilds/${guild.id}/threads/active`)) as ThreadPage;
    expect(idsOf(active)).to.deep.equal([newer, older]);
    expect(active).not.to.have.property('has_more');
    expect(idsOf(await archived(''))).to.deep.equal([late, early]);
  });

  it('takes `before` as exclusive to the microsecond, so that a page edge cuts threads of the same moment', async () => {
    const moment = 1_700_000_000_123_456;
    const [first, second, third] = [archive(moment), archive(moment), archive(moment)];
    const older = archive(moment - 1);
    const page = await archived('limit=2');
    expect([idsOf(page), page.has_more]).to.deep.equal([[third, second], true]);
    const cursor = page.threads[1]!.thread_metadata!.archive_timestamp;
    expect(cursor).to.equal('2023-11-14T22:13:20.123456+00:00');
    const rest = await archived(`limit=2&before=${encodeURIComponent(cursor)}`);
    expect([idsOf(rest), rest.has_more]).to.deep.equal([[older], false]);
    const again = await archived(`before=${encodeURIComponent('2023-11-14T22:13:20.123457Z')}`);
    expect(idsOf(again)).to.deep.equal([third, second, first, older]);
    expect(idsOf(await archived('before=2023-11-14T22:13:20.123Z'))).to.deep.equal([]);
  });

  it('bounds the size of pages', async () => {
    const threadId = aThread();
    for (const [path, isRight] of [
      [`/channels/${forum.id}/threads/archived/public?limit=1`, false],
      [`/channels/${forum.id}/threads/archived/public?limit=2`, true],
      [`/channels/${forum.id}/threads/archived/public?limit=100`, true],
      [`/channels/${forum.id}/threads/archived/public?limit=101`, false],
      [`/channels/${forum.id}/threads/archived/public?before=yesterday`, false],
      [`/channels/${threadId}/messages?limit=0`, false],
      [`/channels/${threadId}/messages?limit=100`, true],
      [`/channels/${threadId}/messages?limit=101`, false],
      [`/channels/${threadId}/messages?after=x`, false],
      [`/channels/${threadId}/messages?after=1&before=2`, false],
      [`/channels/${threadId}/messages/pins?limit=51`, false],
    ] as const) {
      const reply = await ask(double, path);
      const code = isRight ? undefined : 50_035;
      expect([path, reply.status]).to.deep.equal([path, isRight ? 200 : 400]);
      expect((reply.json() as { code?: number }).code).to.equal(code);
    }
  });

  it('gives messages newest first, whichever way is paged', async () => {
    const threadId = aThread();
    const ids = ['a', 'b', 'c', 'd'].map((content) => say(threadId, content));
    const page = async (query: string): Promise<string[]> => {
      const messages = (await read(
        double,
        `/channels/${threadId}/messages?${query}`,
      )) as APIMessage[];
      return messages.map(({ id }) => id);
    };
    const [a, b, c, d] = ids as [string, string, string, string];
    expect(await page('')).to.deep.equal([d, c, b, a, threadId]);
    expect(await page('limit=2')).to.deep.equal([d, c]);
    expect(await page(`limit=2&before=${c}`)).to.deep.equal([b, a]);
    expect(await page(`limit=2&after=${a}`)).to.deep.equal([c, b]);
    expect(await page('limit=2&after=0')).to.deep.equal([a, threadId]);
    expect(await page(`limit=3&around=${b}`)).to.deep.equal([c, b, a]);
  });

  it('gives no messages, and no error, without the permission to read the history', async () => {
    const threadId = aThread();
    const messageId = say(threadId, 'unseen');
    denyAll(ReadMessageHistory);
    expect(await read(double, `/channels/${threadId}/messages`)).to.deep.equal([]);
    const one = await ask(double, `/channels/${threadId}/messages/${messageId}`);
    expect(one.status).to.equal(403);
    const page = await ask(double, `/channels/${forum.id}/threads/archived/public`);
    expect(page.status).to.equal(403);
    expect(await read(double, `/channels/${threadId}/messages/pins`)).to.deep.equal({
      items: [],
      has_more: false,
    });
  });

  it('cuts the list of active threads by what the bot may see', async () => {
    aThread();
    denyAll(ViewChannel);
    const active = (await read(double, `/guilds/${guild.id}/threads/active`)) as ThreadPage;
    expect(active.threads).to.deep.equal([]);
  });

  it('lists pinned messages, last pinned first', async () => {
    const threadId = aThread();
    const [first, second] = [say(threadId, '1'), say(threadId, '2')];
    double.model.setPinned(threadId, second, true);
    double.model.setPinned(threadId, first, true);
    interface Pins {
      items: { pinned_at: string; message: APIMessage }[];
      has_more: boolean;
    }
    const pins = (await read(double, `/channels/${threadId}/messages/pins?limit=1`)) as Pins;
    expect([pins.items[0]?.message.id, pins.has_more]).to.deep.equal([first, true]);
    const before = encodeURIComponent(pins.items[0]!.pinned_at);
    const rest = (await read(
      double,
      `/channels/${threadId}/messages/pins?before=${before}`,
    )) as Pins;
    expect(rest.items.map(({ message }) => message.id)).to.deep.equal([second]);
  });

  it('lets a thread move while a client pages', async () => {
    const moment = 1_700_000_000_000_000;
    const ids = [3, 2, 1, 0].map((more) => archive(moment + more));
    double.faults.before('archivedThreads', ({ path }) => {
      if (path.includes('before=')) double.model.updateThread(ids[2]!, { isArchived: false });
    });
    const page = await archived('limit=2');
    const cursor = encodeURIComponent(page.threads[1]!.thread_metadata!.archive_timestamp);
    const rest = await archived(`limit=2&before=${cursor}`);
    expect([...idsOf(page), ...idsOf(rest)]).to.deep.equal([ids[0], ids[1], ids[3]]);
    const active = (await read(double, `/guilds/${guild.id}/threads/active`)) as ThreadPage;
    expect(idsOf(active)).to.deep.equal([ids[2]]);
  });

  it('gives a reply the message that it answers, and null once that is deleted', async () => {
    const threadId = aThread();
    const messageId = say(threadId, 'a question');
    const { bot } = double.model;
    const reference = { type: 0 as const, channelId: threadId, guildId: guild.id, messageId };
    const reply = double.model.post(threadId, { authorId: bot.id, type: 19, reference });
    const path = `/channels/${threadId}/messages/${reply.id}`;
    expect(await read(double, path)).to.have.nested.property('referenced_message.id', messageId);
    double.model.deleteMessage(threadId, messageId);
    expect(await read(double, path)).to.have.property('referenced_message', null);
  });
});

describe('Contents and links of the platform double', () => {
  let double: DiscordDouble;

  const start = async (options: Parameters<typeof startDiscord>[0]): Promise<string> => {
    double = await startDiscord({ history: null, rateLimits: false, ...options });
    const guild = double.model.createGuild();
    const forum = double.model.createChannel(guild.id, { type: ChannelType.GuildForum });
    const author = double.model.createUser();
    double.model.addMember(guild.id, author.id);
    return double.model.createThread(forum.id, {
      ownerId: author.id,
      starter: { content: 'Look', attachments: [{ filename: 'a b.txt', size: 40 }] },
    }).id;
  };
  const starterOf = async (threadId: string): Promise<APIMessage> =>
    (await read(double, `/channels/${threadId}/messages/${threadId}`)) as APIMessage;

  afterEach(() => double.close());

  it('sends blanks without the intent, except for messages that mention the bot or are its own', async () => {
    const threadId = await start({ messageContent: false });
    const { model } = double;
    const [authorId] = [model.threads.get(threadId)!.ownerId];
    const content = `<@${model.bot.id}> here?`;
    model.post(threadId, { authorId, content, mentionIds: [model.bot.id] });
    model.post(threadId, { authorId: model.bot.id, content: 'Yes' });
    const answers = [{ id: 1, text: 'Yes', voterIds: new Set<string>() }];
    const poll = { question: 'Is it?', answers, endsAt: model.clock.now(), isFinal: false };
    model.post(threadId, { authorId, poll });
    const messages = (await read(double, `/channels/${threadId}/messages`)) as APIMessage[];
    expect(messages.map((message) => message.content)).to.deep.equal(['', 'Yes', content, '']);
    expect(messages[0]).not.to.have.property('poll');
    expect(messages[3]?.attachments).to.deep.equal([]);
    const { flags } = (await read(double, '/applications/@me')) as { flags: number };
    expect(flags & ((1 << 18) | (1 << 19))).to.equal(0);
  });

  it('signs links to attachments, which open the file', async () => {
    const threadId = await start({});
    const [attachment] = (await starterOf(threadId)).attachments;
    expect(attachment?.url).to.match(/\/attachments\/\d+\/\d+\/a%20b\.txt\?ex=\w+&is=\w+&hm=\w+&$/);
    expect((await fetch(attachment!.url)).headers.get('content-length')).to.equal('40');
    expect(double.isFreshLink(attachment!.url)).to.equal(true);
    const unsigned = await fetch(attachment!.url.split('?')[0]!);
    expect(unsigned.status).to.equal(404);
    await unsigned.text();
    double.model.deleteMessage(threadId, threadId);
    expect(double.isFreshLink(attachment!.url)).to.equal(false);
  });

  it('refreshes links that have expired, of up to 50', async () => {
    const threadId = await start({ linkLifetimeSeconds: -1 });
    const { url } = (await starterOf(threadId)).attachments[0]!;
    expect(double.isFreshLink(url)).to.equal(false);
    double.settings.linkLifetimeSeconds = 60;
    const refresh = (urls: string[]): ReturnType<typeof ask> =>
      ask(double, '/attachments/refresh-urls', {
        method: 'POST',
        body: JSON.stringify({ attachment_urls: urls }),
      });
    const unsigned = url.split('?')[0]!;
    const reply = await refresh([url, unsigned, 'https://example.com/']);
    const { refreshed_urls: refreshed } = reply.json() as {
      refreshed_urls: { original: string; refreshed: string | null }[];
    };
    expect(refreshed.map(({ original }) => original)).to.deep.equal([
      url,
      unsigned,
      'https://example.com/',
    ]);
    const areFresh = refreshed.map((one) => one.refreshed && double.isFreshLink(one.refreshed));
    expect(areFresh).to.deep.equal([true, true, null]);
    expect((await refresh([])).status).to.equal(400);
    expect((await refresh(Array.from({ length: 51 }, () => url))).status).to.equal(400);
  });
});
