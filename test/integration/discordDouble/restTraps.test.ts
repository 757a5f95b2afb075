import {
  ChannelType,
  PermissionFlagsBits,
  type APIChannel,
  type APIMessage,
  type APIThreadChannel,
} from 'discord-api-types/v10';
import { expect } from 'chai';
import type { Channel, Guild, User } from '../../support/discord/model/entities.js';
import type { DiscordModel } from '../../support/discord/model/model.js';
import type { DiscordOptions } from '../../support/discord/settings.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { ask, read } from './restClient.js';

/** A moment long ago (µs). */
const MOMENT = 1_690_000_000_123_456;

interface ThreadPage {
  threads: APIThreadChannel[];
  has_more: boolean;
}

/** Each test is a naive client, and what it gets wrong. */
describe('Traps of the REST API for a naive client', () => {
  let double: DiscordDouble;
  let model: DiscordModel;
  let guild: Guild;
  let forum: Channel;
  let author: User;

  const start = async (options: DiscordOptions = {}): Promise<void> => {
    double = await startDiscord({ history: null, rateLimits: false, ...options });
    model = double.model;
    guild = model.createGuild({ at: Date.UTC(2021, 0, 1) });
    forum = model.createChannel(guild.id, { type: ChannelType.GuildForum, name: 'help' });
    author = model.createUser();
    model.addMember(guild.id, author.id);
  };
  const aThread = (archiveMicros?: number, at?: number): string => {
    const dated = at === undefined ? {} : { at };
    const { id } = model.createThread(forum.id, { ownerId: author.id, ...dated });
    if (archiveMicros) model.updateThread(id, { isArchived: true, archiveMicros });
    return id;
  };
  const archivedPage = async (query: string): Promise<ThreadPage> =>
    (await read(double, `/channels/${forum.id}/threads/archived/public?${query}`)) as ThreadPage;
  /** Pages through archived threads with a cursor that a naive client takes from the last thread of a page. */
  const pageBy = async (cursorOf: (thread: APIThreadChannel) => string): Promise<string[]> => {
    const ids: string[] = [];
    for (let query = 'limit=2'; query;) {
      const { threads, has_more: hasMore } = await archivedPage(query);
      ids.push(...threads.map(({ id }) => id));
      const last = threads.at(-1);
      query = hasMore && last ? `limit=2&before=${encodeURIComponent(cursorOf(last))}` : '';
    }
    return ids;
  };
  const messagesOf = async (threadId: string, query = ''): Promise<APIMessage[]> =>
    (await read(double, `/channels/${threadId}/messages?${query}`)) as APIMessage[];
  const say = (threadId: string, content: string, at?: number): string =>
    model.post(threadId, { authorId: author.id, content, ...(at === undefined ? {} : { at }) }).id;

  afterEach(() => double.close());

  it('loses threads of the same moment at the edge of a page', async () => {
    await start();
    const ids = [1, 2, 3, 4].map(() => aThread(MOMENT));
    const seen = await pageBy(({ thread_metadata: data }) => data!.archive_timestamp);
    expect(seen).to.deep.equal([ids[3], ids[2]]);
  });

  it('loses threads of the same millisecond where its cursor passes through a Date', async () => {
    await start();
    const ids = [4, 3, 2, 1].map((micros) => aThread(MOMENT + micros));
    const seen = await pageBy(({ thread_metadata: data }) =>
      new Date(data!.archive_timestamp).toISOString(),
    );
    expect(seen).to.deep.equal([ids[0], ids[1]]);
  });

  it('loses or repeats threads where it pages by their creation', async () => {
    await start();
    const day = 86_400_000;
    const ids = [4, 3, 2, 1].map((days) =>
      aThread(MOMENT + days, Date.UTC(2022, 5, 1) - (5 - days) * 700 * day),
    );
    const created = (thread: APIThreadChannel): string =>
      new Date(Number(BigInt(thread.id) >> 22n) + 1_420_070_400_000).toISOString();
    expect(await pageBy(created)).to.deep.equal(ids.slice(0, 2));
  });

  it('loses a thread that becomes active while it pages, where it read the active ones first', async () => {
    await start();
    const ids = [4, 3, 2, 1].map((micros) => aThread(MOMENT + micros));
    const active = await read(double, `/guilds/${guild.id}/threads/active`);
    const first = await archivedPage('limit=2');
    say(ids[2]!, 'I have the same question');
    const before = encodeURIComponent(first.threads[1]!.thread_metadata!.archive_timestamp);
    const second = await archivedPage(`limit=2&before=${before}`);
    const seen = [...first.threads, ...second.threads].map(({ id }) => id);
    expect([active, seen]).to.deep.equal([{ threads: [], members: [] }, [ids[0], ids[1], ids[3]]]);
  });

  it('is refused where it asks for a single archived thread', async () => {
    await start();
    expect(
      (await ask(double, `/channels/${forum.id}/threads/archived/public?limit=1`)).status,
    ).to.equal(400);
  });

  it('reads the same page for ever where it takes the last message of a page as the newest', async () => {
    await start();
    const threadId = aThread();
    for (let count = 0; count < 5; count += 1) say(threadId, `${count}`);
    const [first] = [await messagesOf(threadId, 'limit=3&after=0')];
    const second = await messagesOf(threadId, `limit=3&after=${first.at(-1)!.id}`);
    expect(second.map(({ id }) => id)).to.include.members(first.slice(0, 2).map(({ id }) => id));
  });

  it('goes wrong where it compares ids as text, or as numbers', async () => {
    await start();
    const threadId = aThread(undefined, Date.UTC(2022, 5, 1));
    const late = say(threadId, 'of 19 digits', Date.UTC(2023, 0, 1));
    const ids = (await messagesOf(threadId)).map(({ id }) => id);
    expect(ids.toSorted().at(-1)).to.equal(threadId);
    expect(ids.map(Number).map(String)).not.to.include(late);
  });

  it('takes a thread for empty without the permission to read its history', async () => {
    await start();
    const threadId = aThread();
    say(threadId, 'Still here');
    const deny = PermissionFlagsBits.ReadMessageHistory;
    model.setOverwrite(forum.id, { id: model.bot.id, type: 1, allow: 0n, deny });
    expect(await messagesOf(threadId)).to.deep.equal([]);
    expect(model.messagesOf(threadId)).to.have.length(2);
  });

  it('takes a channel for deleted that is hidden from it', async () => {
    await start();
    const deny = PermissionFlagsBits.ViewChannel;
    model.setOverwrite(forum.id, { id: model.bot.id, type: 1, allow: 0n, deny });
    const listed = (await read(double, `/guilds/${guild.id}/channels`)) as APIChannel[];
    expect(listed).to.deep.equal([]);
    expect(model.isPublic(forum.id)).to.equal(true);
    expect((await ask(double, `/channels/${forum.id}`)).status).to.equal(403);
  });

  it('takes what it can read for public, where the bot sees more than others', async () => {
    await start();
    const { ViewChannel: deny } = PermissionFlagsBits;
    model.setOverwrite(forum.id, { id: guild.id, type: 0, allow: 0n, deny });
    const own = [...guild.roles.values()].find(({ botId }) => botId !== null)!;
    model.setOverwrite(forum.id, { id: own.id, type: 0, allow: deny, deny: 0n });
    const listed = (await read(double, `/guilds/${guild.id}/channels`)) as APIChannel[];
    expect([listed.length, model.isPublic(forum.id)]).to.deep.equal([1, false]);
  });

  it('overwrites content by blanks, without the intent', async () => {
    await start({ messageContent: false });
    const threadId = aThread();
    const messageId = say(threadId, 'Important');
    const kept = new Map([[messageId, 'Important']]);
    for (const { id, content } of await messagesOf(threadId)) kept.set(id, content);
    expect(kept.get(messageId)).to.equal('');
  });

  it('serves links that no longer open', async () => {
    await start({ linkLifetimeSeconds: -1 });
    const { id } = model.createThread(forum.id, {
      ownerId: author.id,
      starter: { attachments: [{}] },
    });
    const [{ attachments }] = (await messagesOf(id)) as [APIMessage];
    const response = await fetch(attachments[0]!.url);
    await response.text();
    expect(response.status).to.equal(404);
  });

  it('is refused where it expects each bucket to keep its size', async () => {
    const buckets = { messages: { limit: 4, windowMs: 60_000 } };
    await start({ rateLimits: true, buckets });
    const threadId = aThread();
    await messagesOf(threadId);
    double.limits.renewBuckets(0.5);
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      statuses.push((await ask(double, `/channels/${threadId}/messages`)).status);
    }
    expect(statuses).to.deep.equal([200, 200, 429]);
  });

  it('is refused where it asks for many threads at once, each with a bucket of its own', async () => {
    await start({ rateLimits: true, globalLimit: 1 });
    const ids = Array.from({ length: 12 }, () => aThread());
    await Promise.all(ids.map((id) => ask(double, `/channels/${id}/messages`)));
    expect(double.limits.counts.global).to.be.above(0);
    expect(double.limits.counts.bucket + double.limits.counts.unknownBucket).to.equal(0);
  });

  it('fails where it expects every 429 to be JSON', async () => {
    await start();
    double.limits.blockByCloudflare(60);
    const reply = await ask(double, '/users/@me');
    expect(reply.status).to.equal(429);
    expect(() => (reply.json() as { retry_after: number }).retry_after).to.throw(SyntaxError);
  });

  it('is banned where it asks again at once', async () => {
    const buckets = { guildChannels: { limit: 1, windowMs: 60_000 } };
    await start({ rateLimits: true, buckets, invalidRequestLimit: 20 });
    const path = `/guilds/${guild.id}/channels`;
    const retry = async (): Promise<number> => {
      for (let count = 0; count < 50; count += 1) {
        const { status } = await ask(double, path);
        if (status !== 429) return status;
      }
      return 429;
    };
    for (let count = 0; count < 2; count += 1) await retry();
    expect(double.limits.counts.ban).to.be.above(0);
    expect((await ask(double, '/users/@me')).status).to.equal(429);
  });

  it('ends its sync at the first error', async () => {
    await start();
    const ids = [1, 2, 3].map(() => aThread());
    double.faults.next('badGateway', { route: 'messages' });
    const seen: string[] = [];
    const sync = async (): Promise<void> => {
      for (const id of ids) if ((await messagesOf(id)).length > 0) seen.push(id);
    };
    await sync().catch(() => undefined);
    expect(seen).to.deep.equal([]);
  });
});
