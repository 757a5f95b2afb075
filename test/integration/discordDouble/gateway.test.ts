import { ChannelType, GatewayIntentBits, GatewayOpcodes as Op } from 'discord-api-types/v10';
import { expect } from 'chai';
import { until } from '../../support/apiServer.js';
import type { Channel, Guild, Thread, User } from '../../support/discord/model/entities.js';
import type { DiscordModel } from '../../support/discord/model/model.js';
import type { DiscordOptions } from '../../support/discord/settings.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { connect, type GatewayTestClient } from './gatewayClient.js';

const { Guilds, GuildMembers, GuildMessages, GuildMessageReactions, MessageContent } =
  GatewayIntentBits;
const { GuildMessagePolls } = GatewayIntentBits;
const USUAL = Guilds | GuildMessages | GuildMessageReactions | MessageContent;
const VIEW = 1n << 10n;

describe('Gateway of the platform double', () => {
  let double: DiscordDouble;
  let model: DiscordModel;
  let guild: Guild;
  let forum: Channel;
  let thread: Thread;
  let author: User;
  let clients: GatewayTestClient[];

  const start = async (options: DiscordOptions = {}): Promise<void> => {
    double = await startDiscord({ history: null, identifySpacingMs: 0, ...options });
    clients = [];
    model = double.model;
    guild = model.createGuild({ name: 'Rust' });
    forum = model.createChannel(guild.id, { type: ChannelType.GuildForum, name: 'help' });
    author = model.createUser();
    model.addMember(guild.id, author.id, { nick: 'Ada' });
    thread = model.createThread(forum.id, { name: 'Why?', ownerId: author.id });
  };
  const open = async (options?: Parameters<typeof connect>[1]): Promise<GatewayTestClient> => {
    const client = await connect(double, options);
    clients.push(client);
    return client;
  };
  /** Makes a client that has received all events so far. */
  const identified = async (
    intents = USUAL,
    options?: Parameters<typeof connect>[1],
  ): Promise<GatewayTestClient> => {
    const client = await open(options);
    await client.identify(intents);
    await client.until(intents & Guilds ? 'GUILD_CREATE' : 'READY');
    return client;
  };
  const say = (content: string): string =>
    model.post(thread.id, { authorId: author.id, content }).id;
  /** The names of the events that operations cause, up to a sign that follows them. */
  const namesOf = async (client: GatewayTestClient, act: () => void): Promise<string[]> => {
    act();
    model.updateGuild(guild.id, { name: 'Rust' });
    return (await client.until('GUILD_UPDATE')).slice(0, -1);
  };
  const last = (client: GatewayTestClient, name: string): Record<string, unknown> =>
    client.events.findLast(({ t }) => t === name)!.d;

  afterEach(async () => {
    for (const client of clients) if (client.closeCode === null) await client.close();
    await double.close();
  });

  it('says hello, acknowledges heartbeats, and tells what exists', async () => {
    await start();
    model.updateThread(model.createThread(forum.id, { ownerId: author.id }).id, {
      isArchived: true,
    });
    const secret = model.createChannel(guild.id, {
      type: ChannelType.GuildForum,
      name: 'secret',
      topic: 'Hush',
      overwrites: [{ id: guild.id, type: 0, allow: 0n, deny: VIEW }],
    });
    model.createThread(secret.id, { ownerId: author.id });
    const client = await open();
    expect(client.signals).to.deep.equal([{ op: Op.Hello, d: { heartbeat_interval: 41_250 } }]);
    client.send(Op.Heartbeat, null);
    await until(() => client.signals.at(-1)?.op === Op.HeartbeatAck);
    await client.identify(USUAL);
    await client.until('GUILD_CREATE');
    expect(last(client, 'READY')).to.deep.include({
      guilds: [{ id: guild.id, unavailable: true }],
      resume_gateway_url: `${double.gatewayUrl}/resume`,
    });
    const created = last(client, 'GUILD_CREATE') as unknown as {
      channels: { id: string; name: string; flags: number; topic: unknown }[];
      threads: { id: string }[];
    };
    expect(created.threads.map(({ id }) => id)).to.deep.equal([thread.id]);
    const [open1, hidden] = created.channels;
    expect(open1).to.include({ id: forum.id, name: 'help' });
    expect(hidden).to.include({ id: secret.id, name: '___hidden___', flags: 1 << 17, topic: null });
    expect(double.gateway.commands.map(({ op }) => op)).to.deep.equal([1, 2]);
  });

  it('sends the events of each operation', async () => {
    await start();
    const client = await identified(USUAL | GuildMembers | GuildMessagePolls);
    const answers = [{ id: 1, text: 'Yes', voterIds: new Set<string>() }];
    const poll = { question: 'Is it?', answers, endsAt: model.clock.now(), isFinal: false };
    const asked = model.post(thread.id, { authorId: author.id, poll }).id;
    const [first, second, third] = [say('1'), say('2'), say('3')];
    await namesOf(client, () => undefined);
    const emoji = { id: null, name: '👍' };
    const user = model.createUser();
    let other: Thread;
    const steps: [string, () => unknown, string[]][] = [
      ['post', () => say('4'), ['MESSAGE_CREATE']],
      ['edit', () => model.edit(thread.id, first, { content: 'Ha' }), ['MESSAGE_UPDATE']],
      ['embeds', () => model.resolveEmbeds(thread.id, first, []), ['MESSAGE_UPDATE']],
      [
        'pin',
        () => model.setPinned(thread.id, first, true),
        ['MESSAGE_UPDATE', 'CHANNEL_PINS_UPDATE', 'MESSAGE_CREATE'],
      ],
      ['react', () => model.react(thread.id, first, user.id, emoji), ['MESSAGE_REACTION_ADD']],
      ['again', () => model.react(thread.id, first, user.id, emoji), []],
      [
        'unreact',
        () => model.unreact(thread.id, first, user.id, emoji),
        ['MESSAGE_REACTION_REMOVE'],
      ],
      [
        'clear emoji',
        () => model.clearReactions(thread.id, first, emoji),
        ['MESSAGE_REACTION_REMOVE_EMOJI'],
      ],
      ['clear', () => model.clearReactions(thread.id, first), ['MESSAGE_REACTION_REMOVE_ALL']],
      ['vote', () => model.vote(thread.id, asked, user.id, 1), ['MESSAGE_POLL_VOTE_ADD']],
      ['end of poll', () => model.endPoll(thread.id, asked), ['MESSAGE_UPDATE', 'MESSAGE_CREATE']],
      ['delete', () => model.deleteMessage(thread.id, first), ['MESSAGE_DELETE']],
      ['bulk', () => model.deleteMessages(thread.id, [second, third]), ['MESSAGE_DELETE_BULK']],
      [
        'retitle',
        () => model.updateThread(thread.id, { name: 'How?' }),
        ['THREAD_UPDATE', 'MESSAGE_CREATE'],
      ],
      ['archive', () => model.updateThread(thread.id, { isArchived: true }), ['THREAD_UPDATE']],
      ['post into it', () => say('5'), ['THREAD_UPDATE', 'MESSAGE_CREATE']],
      [
        'thread',
        () => (other = model.createThread(forum.id, { ownerId: author.id })),
        ['THREAD_CREATE', 'MESSAGE_CREATE'],
      ],
      ['delete thread', () => model.deleteThread(other.id), ['THREAD_DELETE']],
      ['tag', () => model.createTag(forum.id, { name: 'Solved' }), ['CHANNEL_UPDATE']],
      ['role', () => model.createRole(guild.id), ['GUILD_ROLE_CREATE']],
      ['member', () => model.addMember(guild.id, user.id), ['GUILD_MEMBER_ADD']],
      ['nick', () => model.updateMember(guild.id, user.id, { nick: 'N' }), ['GUILD_MEMBER_UPDATE']],
      ['name', () => model.updateUser(user.id, { globalName: 'M' }), ['GUILD_MEMBER_UPDATE']],
      ['leave', () => model.removeMember(guild.id, user.id), ['GUILD_MEMBER_REMOVE']],
      // Nothing is told between the beginning and the end.
      [
        'outage',
        () => {
          model.setUnavailable(guild.id, true);
          say('6');
          model.setUnavailable(guild.id, false);
        },
        ['GUILD_DELETE', 'GUILD_CREATE'],
      ],
      [
        'absence of the bot',
        () => {
          model.dismissBot(guild.id);
          say('7');
          model.inviteBot(guild.id);
        },
        ['GUILD_DELETE', 'GUILD_CREATE'],
      ],
      ['delete forum', () => model.deleteChannel(forum.id), ['CHANNEL_DELETE']],
    ];
    for (const [title, act, names] of steps) {
      expect([title, ...(await namesOf(client, () => void act()))]).to.deep.equal([
        title,
        ...names,
      ]);
    }
    model.deleteGuild(guild.id);
    await client.until('GUILD_DELETE');
    expect(last(client, 'GUILD_DELETE')).to.deep.equal({ id: guild.id });
  });

  it('tells deletions only by ids, and messages with the member', async () => {
    await start();
    const client = await identified();
    const place = { channel_id: thread.id, guild_id: guild.id };
    await namesOf(client, () => {
      const messageId = say('Hello');
      model.deleteMessage(thread.id, messageId);
      model.deleteThread(thread.id);
    });
    const created = last(client, 'MESSAGE_CREATE');
    expect(created).to.include({ ...place, content: 'Hello' });
    expect(created).to.have.nested.property('member.nick', 'Ada');
    expect(last(client, 'MESSAGE_DELETE')).to.deep.equal({ id: created.id, ...place });
    expect(last(client, 'THREAD_DELETE')).to.deep.equal({
      id: thread.id,
      guild_id: guild.id,
      parent_id: forum.id,
      type: 11,
    });
  });

  it('drops events without their intent, but always tells the bot of its own member', async () => {
    await start();
    const client = await identified(Guilds);
    const roleIds = [model.createRole(guild.id).id];
    const names = await namesOf(client, () => {
      say('unheard');
      model.updateMember(guild.id, author.id, { nick: 'unheard' });
      model.updateMember(guild.id, model.bot.id, { roleIds });
    });
    expect(names).to.deep.equal(['GUILD_ROLE_CREATE', 'GUILD_MEMBER_UPDATE']);
  });

  it('sends blanks without the intent for content', async () => {
    await start();
    const client = await identified(Guilds | GuildMessages);
    await namesOf(client, () => void say('unread'));
    expect(last(client, 'MESSAGE_CREATE')).to.include({ content: '' });
    model.post(thread.id, { authorId: model.bot.id, content: 'its own' });
    await client.until('MESSAGE_CREATE');
    expect(last(client, 'MESSAGE_CREATE')).to.include({ content: 'its own' });
  });

  it('tells an ephemeral message without its guild', async () => {
    await start();
    const client = await identified();
    model.postEphemeral(thread.id, { authorId: model.bot.id, content: 'For you' });
    await client.until('MESSAGE_CREATE');
    expect(last(client, 'MESSAGE_CREATE')).to.include({ content: 'For you', flags: 64 });
    expect(last(client, 'MESSAGE_CREATE')).not.to.have.property('guild_id');
  });

  it('tells nothing when a role loses access, and syncs threads when the access comes back', async () => {
    await start();
    const client = await identified();
    const own = [...guild.roles.values()].find(({ botId }) => botId !== null)!;
    const { permissions } = own;
    const lost = await namesOf(client, () => {
      model.updateRole(guild.id, own.id, { permissions: 0n });
      model.updateRole(guild.id, guild.id, { permissions: 0n });
      say('unheard');
      model.updateThread(thread.id, { name: 'unheard' });
    });
    expect(lost).to.deep.equal(['GUILD_ROLE_UPDATE', 'GUILD_ROLE_UPDATE']);
    const regained = await namesOf(client, () => {
      model.updateRole(guild.id, own.id, { permissions });
    });
    expect(regained).to.deep.equal(['GUILD_ROLE_UPDATE', 'CHANNEL_UPDATE', 'THREAD_LIST_SYNC']);
    expect(last(client, 'CHANNEL_UPDATE')).to.include({ id: forum.id, name: 'help' });
    const sync = last(client, 'THREAD_LIST_SYNC') as { threads: unknown[]; channel_ids: string[] };
    expect([sync.channel_ids, sync.threads.length]).to.deep.equal([[forum.id], 1]);
  });

  it('shows a channel that its own permissions hide as hidden', async () => {
    await start();
    const client = await identified();
    const own = [...guild.roles.values()].find(({ botId }) => botId !== null)!;
    const hide = (deny: bigint): void =>
      void model.setOverwrite(forum.id, { id: own.id, type: 0, allow: 0n, deny });
    expect(await namesOf(client, () => hide(VIEW))).to.deep.equal(['CHANNEL_UPDATE']);
    expect(last(client, 'CHANNEL_UPDATE')).to.include({ id: forum.id, name: '___hidden___' });
    const topic = (): void => void model.updateChannel(forum.id, { topic: 'unheard' });
    expect(await namesOf(client, topic)).to.deep.equal([]);
    const back = await namesOf(client, () => hide(0n));
    expect(back).to.deep.equal(['CHANNEL_UPDATE', 'THREAD_LIST_SYNC']);
  });

  it('can tell a starter before its thread, send events twice, and send late ones in any order', async () => {
    await start();
    const client = await identified();
    double.gateway.starterFirst = true;
    const post = (): void => void model.createThread(forum.id, { ownerId: author.id });
    expect(await namesOf(client, post)).to.deep.equal(['MESSAGE_CREATE', 'THREAD_CREATE']);
    double.gateway.copies = 2;
    const twice = ['MESSAGE_CREATE', 'MESSAGE_CREATE'];
    expect(await namesOf(client, () => void say('twice'))).to.deep.equal(twice);
    await client.until('GUILD_UPDATE');
    double.gateway.copies = 1;
    double.gateway.hold();
    const messageId = say('late');
    model.edit(thread.id, messageId, { content: 'later' });
    model.deleteMessage(thread.id, messageId);
    double.gateway.release('reversed');
    const late = await namesOf(client, () => undefined);
    expect(late).to.deep.equal(['MESSAGE_DELETE', 'MESSAGE_UPDATE', 'MESSAGE_CREATE']);
    const numbers = client.events.map(({ s }) => s);
    expect(numbers).to.deep.equal(numbers.map((_, index) => index + 1));
  });

  it('sends the same by a compressed stream', async () => {
    await start();
    for (let count = 0; count < 300; count += 1) {
      model.createThread(forum.id, { name: `Thread ${count} 🙂`, ownerId: author.id });
    }
    const plain = await identified();
    const compressed = await identified(USUAL, { isCompressed: true });
    expect(last(compressed, 'GUILD_CREATE')).to.deep.equal(last(plain, 'GUILD_CREATE'));
    for (let count = 0; count < 50; count += 1) say(`Message ${count} 🙂`);
    model.deleteThread(thread.id);
    await Promise.all([plain.until('THREAD_DELETE'), compressed.until('THREAD_DELETE')]);
    const news = (client: GatewayTestClient): unknown[] => client.events.slice(2).map(({ d }) => d);
    expect(news(compressed)).to.deep.equal(news(plain));
  });

  describe('resuming', () => {
    const lose = async (client: GatewayTestClient, count: number): Promise<void> => {
      await client.close(4_200);
      await until(() => double.gateway.connections === 0);
      for (let number = 0; number < count; number += 1) say(`missed ${number}`);
    };

    it('sends what was missed, and nothing else', async () => {
      await start();
      const client = await identified();
      await lose(client, 3);
      const next = await open({ url: client.resumeUrl });
      next.resume(client.sessionId, client.events.at(-1)!.s);
      expect(await next.until('RESUMED')).to.deep.equal([
        'MESSAGE_CREATE',
        'MESSAGE_CREATE',
        'MESSAGE_CREATE',
        'RESUMED',
      ]);
      expect(next.events.map(({ s }) => s)).to.deep.equal([3, 4, 5, 6]);
    });

    it('is refused where events are gone, the session is forgotten, or it was closed by 1000', async () => {
      await start({ replayLimit: 4 });
      const refused = async (client: GatewayTestClient): Promise<void> => {
        const next = await open({ url: client.resumeUrl });
        next.resume(client.sessionId, client.events.at(-1)!.s);
        await until(() => next.signals.length === 2);
        expect(next.signals[1]).to.deep.equal({ op: Op.InvalidSession, d: false });
        await next.close();
      };
      const late = await identified();
      await lose(late, 5);
      await refused(late);
      const forgotten = await identified();
      await lose(forgotten, 0);
      double.gateway.forgetSessions();
      await refused(forgotten);
      const closed = await identified();
      await closed.close(1_000);
      await until(() => double.gateway.connections === 0);
      await refused(closed);
    });

    it('is refused after a while', async () => {
      await start({ resumeMs: 0 });
      const client = await identified();
      await lose(client, 0);
      const next = await open({ url: client.resumeUrl });
      next.resume(client.sessionId, 2);
      await until(() => next.signals[1]?.op === Op.InvalidSession);
    });

    it('is demanded by op 7, and by op 9 where the session is still good', async () => {
      await start();
      const client = await identified();
      double.gateway.requestReconnect();
      double.gateway.invalidate(true);
      double.gateway.invalidate(false);
      await until(() => client.signals.length === 4);
      expect(client.signals.slice(1)).to.deep.equal([
        { op: Op.Reconnect, d: null },
        { op: Op.InvalidSession, d: true },
        { op: Op.InvalidSession, d: false },
      ]);
    });

    it('starts no session at the URL for resuming', async () => {
      await start();
      const client = await open({ url: `${double.gatewayUrl}/resume` });
      client.send(Op.Identify, { token: double.token, intents: USUAL, properties: {} });
      await until(() => client.signals[1]?.op === Op.InvalidSession);
      expect(double.gateway.commands).to.deep.include.members([
        { ...double.gateway.commands[0]!, op: Op.Identify, place: 'resume' },
      ]);
    });
  });

  describe('limits', () => {
    it('refuses identifies that come too soon', async () => {
      await start({ identifySpacingMs: 3_600_000 });
      await identified();
      const client = await open();
      client.send(Op.Identify, { token: double.token, intents: USUAL, properties: {} });
      await until(() => client.signals[1]?.op === Op.InvalidSession);
    });

    it('resets the token where a day has too many identifies', async () => {
      await start({ identifiesPerDay: 1 });
      const { token } = double;
      const first = await identified();
      const second = await open();
      second.send(Op.Identify, { token, intents: USUAL, properties: {} });
      await until(() => first.closeCode === 4_004 && second.closeCode === 4_004);
      expect(double.token).not.to.equal(token);
    });

    it('closes a connection that sends too much', async () => {
      await start();
      const busy = await open();
      for (let count = 0; count < 125; count += 1) busy.send(Op.Heartbeat, null);
      await until(() => busy.closeCode === 4_008);
    });

    it('closes a connection without heartbeats', async () => {
      await start({ heartbeatMs: 20 });
      const silent = await open();
      await until(() => silent.closeCode === 4_000);
    });
  });

  it('closes with the code of the mistake', async () => {
    await start({ messageContent: false });
    const { token } = double;
    const cases: [number, (client: GatewayTestClient) => void][] = [
      [4_001, (client) => client.send(99, {})],
      [4_002, (client) => client.sendText('{')],
      [4_003, (client) => client.send(Op.PresenceUpdate, {})],
      [4_004, (client) => client.send(Op.Identify, { token: 'other', intents: 1 })],
      [4_004, (client) => client.send(Op.Resume, { token: 'other', session_id: 'x', seq: 0 })],
      [4_013, (client) => client.send(Op.Identify, { token, intents: 1 << 30 })],
      [4_014, (client) => client.send(Op.Identify, { token, intents: USUAL })],
    ];
    for (const [code, act] of cases) {
      const client = await open();
      act(client);
      await until(() => client.closeCode !== null);
      expect(client.closeCode).to.equal(code);
    }
    const old = await open({ query: 'v=9' });
    await until(() => old.closeCode !== null);
    expect(old.closeCode).to.equal(4_012);
    double.gateway.refuseWith = 4_010;
    const refused = await open();
    await refused.identify(Guilds);
    expect(refused.closeCode).to.equal(4_010);
  });

  it('closes, cuts and freezes connections on request', async () => {
    await start();
    const [closed, cut] = [await identified(), await identified()];
    double.gateway.freeze(true);
    say('kept back');
    cut.send(Op.Heartbeat, null);
    await until(() => double.gateway.commands.some(({ op }) => op === Op.Heartbeat));
    expect([cut.signals.length, cut.events.length]).to.deep.equal([1, 2]);
    double.gateway.freeze(false);
    await until(() => cut.signals.length === 2 && cut.events.length === 3);
    await until(() => closed.events.length === 3);
    double.gateway.cut();
    await until(() => cut.closeCode === 1_006 && closed.closeCode === 1_006);
    const again = await identified();
    double.gateway.close(4_000);
    await until(() => again.closeCode === 4_000);
  });
});
