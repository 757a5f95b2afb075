import { expect } from 'chai';
import {
  Client,
  Events,
  GatewayIntentBits,
  GatewayOpcodes,
  Partials,
  type AnyThreadChannel,
  type ForumChannel,
  type MediaChannel,
  type Message,
} from 'discord.js';
import { untilEqual } from '../../support/apiServer.js';
import type { DiscordModel, PublicThread } from '../../support/discord/model/model.js';
import { isForum } from '../../support/discord/model/threadOperations.js';
import type { DiscordOptions } from '../../support/discord/settings.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble } from '../../support/discord/types.js';

const { Guilds, GuildMembers, GuildMessages, GuildMessageReactions, MessageContent } =
  GatewayIntentBits;

describe('discord.js, pointed at the platform double', () => {
  let double: DiscordDouble;
  let model: DiscordModel;
  let client: Client<true>;

  const start = async (options: DiscordOptions = {}): Promise<void> => {
    double = await startDiscord({ seed: 5, rateLimits: false, ...options });
    model = double.model;
    const { Channel, Message, Reaction, ThreadMember } = Partials;
    const connecting = new Client({
      intents: [Guilds, GuildMembers, GuildMessages, GuildMessageReactions, MessageContent],
      partials: [Channel, Message, Reaction, ThreadMember],
      rest: { api: double.url.replace('/v10', ''), version: '10', retries: 0 },
    });
    const ready = new Promise<Client<true>>((resolve) => {
      connecting.once(Events.ClientReady, resolve);
    });
    await connecting.login(double.token);
    client = await ready;
  };

  afterEach(async () => {
    await client.destroy();
    await double.close();
  });

  it('sees the servers, channels, tags and active threads that were generated', async () => {
    await start();
    const [guild] = [...model.guilds.values()];
    const seen = client.guilds.cache.get(guild!.id)!;
    expect(seen.name).to.equal(guild!.name);
    expect([...seen.roles.cache.keys()]).to.have.members([...guild!.roles.keys()]);
    for (const channel of model.channels.values()) {
      const one = seen.channels.cache.get(channel.id);
      const isSeen = model.permissionsOf(model.bot.id, channel.id) !== 0n;
      expect(one?.name).to.equal(isSeen ? channel.name : '___hidden___');
      if (!isForum(channel) || !isSeen) continue;
      const tags = (one as ForumChannel).availableTags.map(({ id }) => id);
      expect(tags).to.deep.equal(channel.tags.map(({ id }) => id));
    }
    const active = [...model.threads.values()].filter(
      ({ id, isArchived }) => !isArchived && model.permissionsOf(model.bot.id, id) !== 0n,
    );
    const { threads } = await seen.channels.fetchActiveThreads();
    expect([...threads.keys()]).to.have.members(active.map(({ id }) => id));
  });

  it('reads all archived threads and all messages of a public forum', async () => {
    await start({ history: { forums: 1, threads: 25, messages: 20 } });
    const found = model.publicThreads();
    expect(found.length).to.be.above(20);
    for (const { channel } of found.filter(isFirstOfItsChannel)) {
      const forum = (await client.channels.fetch(channel.id)) as ForumChannel | MediaChannel;
      const { threads: active } = await forum.threads.fetchActive();
      const { threads: archived } = await forum.threads.fetchArchived({ limit: 100 });
      const seen = [...active.values(), ...archived.values()];
      const expected = found.filter((one) => one.channel.id === channel.id);
      expect(seen.map(({ id }) => id)).to.have.members(expected.map(({ thread }) => thread.id));
      for (const one of expected) {
        await expectSame(
          seen.find(({ id }) => id === one.thread.id)!,
          one,
        );
      }
    }
  });

  it('hears of what happens', async () => {
    await start();
    const heard: string[] = [];
    client.on(Events.ThreadCreate, ({ name }) => void heard.push(`thread ${name}`));
    client.on(Events.MessageCreate, ({ content }) => void heard.push(`message ${content}`));
    client.on(Events.MessageUpdate, (_old, { content }) => void heard.push(`edit ${content}`));
    client.on(Events.MessageReactionAdd, ({ emoji }) => void heard.push(`reaction ${emoji.name}`));
    client.on(Events.MessageDelete, ({ id }) => void heard.push(`gone ${id}`));
    client.on(Events.ThreadUpdate, (_old, { archived }) => void heard.push(`archived ${archived}`));
    client.on(Events.ThreadDelete, ({ id }) => void heard.push(`gone ${id}`));
    client.on(
      Events.GuildMemberUpdate,
      (_old, { nickname }) => void heard.push(`nick ${nickname}`),
    );
    const [{ channel, guild }] = model.publicThreads() as [PublicThread];
    const ownerId = [...guild.members.keys()].at(-1)!;
    const thread = model.createThread(channel.id, {
      ownerId,
      name: 'News',
      starter: { content: 'Hear, hear' },
    });
    const { id } = model.post(thread.id, { authorId: ownerId, content: 'One' });
    model.edit(thread.id, id, { content: 'Two' });
    model.react(thread.id, id, ownerId, { id: null, name: '👍' });
    model.deleteMessage(thread.id, id);
    model.updateMember(guild.id, ownerId, { nick: 'Ada' });
    model.updateThread(thread.id, { isArchived: true });
    model.deleteThread(thread.id);
    await untilEqual(
      () => heard,
      [
        'thread News',
        'message Hear, hear',
        'message One',
        'edit Two',
        'reaction 👍',
        `gone ${id}`,
        'nick Ada',
        'archived true',
        `gone ${thread.id}`,
      ],
    );
  });

  it('resumes after a cut, and misses nothing', async () => {
    await start();
    const heard: string[] = [];
    client.on(Events.MessageCreate, ({ content }) => void heard.push(content));
    const [{ thread, guild }] = model.publicThreads().filter((one) => !one.thread.isArchived) as [
      PublicThread,
    ];
    const authorId = [...guild.members.keys()].at(-1)!;
    double.gateway.cut();
    model.post(thread.id, { authorId, content: 'Meanwhile' });
    await untilEqual(() => heard, ['Meanwhile']);
    const operations = double.gateway.commands.map(({ op }) => op);
    expect(operations.filter((op) => op === GatewayOpcodes.Identify)).to.have.length(1);
    expect(operations).to.include(GatewayOpcodes.Resume);
  });

  it('keeps to the limits that the double tells', async () => {
    const buckets = { messages: { limit: 3, windowMs: 300 } };
    await start({ rateLimits: true, buckets });
    const [{ thread }] = model.publicThreads() as [PublicThread];
    const channel = (await client.channels.fetch(thread.id)) as AnyThreadChannel;
    for (let count = 0; count < 8; count += 1) await channel.messages.fetch({ limit: 1 });
    const { counts } = double.limits;
    expect(counts.bucket + counts.unknownBucket).to.equal(0);
  });

  function isFirstOfItsChannel(
    { channel }: PublicThread,
    index: number,
    all: PublicThread[],
  ): boolean {
    return all.findIndex((other) => other.channel.id === channel.id) === index;
  }

  async function expectSame(
    seen: AnyThreadChannel,
    { thread, messages }: PublicThread,
  ): Promise<void> {
    expect(seen).to.include({
      name: thread.name,
      archived: thread.isArchived,
      ownerId: thread.ownerId,
    });
    expect(seen.appliedTags).to.deep.equal(thread.appliedTagIds);
    const read: Message[] = [];
    for (let page = await seen.messages.fetch({ limit: 10 }); page.size > 0;) {
      read.unshift(...[...page.values()].reverse());
      page = await seen.messages.fetch({ limit: 10, before: read[0]!.id });
    }
    expect(read.map(({ id }) => id)).to.deep.equal(messages.map(({ id }) => id));
    expect(read.map(({ content }) => content)).to.deep.equal(
      messages.map(({ content }) => content),
    );
    const counts = messages.map(({ reactions }) => reactions.map(({ userIds }) => userIds.size));
    expect(read.map(({ reactions }) => reactions.cache.map(({ count }) => count))).to.deep.equal(
      counts,
    );
  }
});
