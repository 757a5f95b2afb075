import { ChannelType, GatewayIntentBits, GatewayOpcodes as Op } from 'discord-api-types/v10';
import { inflateSync } from 'node:zlib';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { until } from '../../support/apiServer.js';
import type { Channel, Guild, Thread, User } from '../../support/discord/model/entities.js';
import type { DiscordModel } from '../../support/discord/model/model.js';
import type { DiscordOptions } from '../../support/discord/settings.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { connect, type GatewayTestClient } from './gatewayClient.js';

const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;

/** What a naive client keeps: the titles of threads, and the texts of messages by thread. */
interface Kept {
  threads: Map<string, string>;
  messages: Map<string, string>;
  count: number;
}

/** A client that believes each event by itself. */
function keep(client: GatewayTestClient): Kept {
  const kept: Kept = { threads: new Map(), messages: new Map(), count: 0 };
  for (const { t, d } of client.events) {
    const id = String(d.id);
    if (t === 'GUILD_CREATE' || t === 'THREAD_LIST_SYNC') {
      for (const { id: threadId, name } of d.threads as Thread[]) kept.threads.set(threadId, name);
    }
    if (t === 'THREAD_CREATE' || t === 'THREAD_UPDATE') kept.threads.set(id, String(d.name));
    if (t === 'THREAD_DELETE') kept.threads.delete(id);
    if (t === 'GUILD_DELETE') kept.threads.clear();
    if (t === 'MESSAGE_CREATE') kept.count += 1;
    if (
      (t === 'MESSAGE_CREATE' || t === 'MESSAGE_UPDATE') &&
      kept.threads.has(String(d.channel_id))
    ) {
      kept.messages.set(id, String(d.content));
    }
    if (t === 'MESSAGE_DELETE') kept.messages.delete(id);
  }
  return kept;
}

/** Each test is a naive client, and what it gets wrong. */
describe('Traps of the gateway for a naive client', () => {
  let double: DiscordDouble;
  let model: DiscordModel;
  let guild: Guild;
  let forum: Channel;
  let thread: Thread;
  let author: User;
  let client: GatewayTestClient;

  const start = async (options: DiscordOptions = {}): Promise<void> => {
    double = await startDiscord({ history: null, identifySpacingMs: 0, ...options });
    model = double.model;
    guild = model.createGuild();
    forum = model.createChannel(guild.id, { type: ChannelType.GuildForum, name: 'help' });
    author = model.createUser();
    model.addMember(guild.id, author.id);
    thread = model.createThread(forum.id, { name: 'Why?', ownerId: author.id });
    client = await connect(double);
    await client.identify(Guilds | GuildMessages | MessageContent);
  };
  /** What the client keeps once it has heard of everything that happened. */
  const kept = async (): Promise<Kept> => {
    model.updateGuild(guild.id, { name: 'A sign' });
    await client.until('GUILD_UPDATE');
    return keep(client);
  };
  const say = (content: string): string =>
    model.post(thread.id, { authorId: author.id, content }).id;

  afterEach(async () => {
    if (client.closeCode === null) await client.close();
    await double.close();
  });

  it('loses a starter that comes before its thread', async () => {
    await start();
    double.gateway.starterFirst = true;
    const { id } = model.createThread(forum.id, { name: 'How?', ownerId: author.id });
    const { threads, messages } = await kept();
    expect([threads.has(id), messages.has(id)]).to.deep.equal([true, false]);
  });

  it('counts a message twice where its event is repeated', async () => {
    await start();
    double.gateway.copies = 2;
    say('Once');
    double.gateway.copies = 1;
    expect((await kept()).count).to.equal(2);
  });

  it('brings back a deleted message by a late update', async () => {
    await start();
    const messageId = say('Gone');
    double.gateway.hold();
    model.edit(thread.id, messageId, { content: 'Gone, too' });
    model.deleteMessage(thread.id, messageId);
    double.gateway.release('reversed');
    expect((await kept()).messages.get(messageId)).to.equal('Gone, too');
    expect(model.findMessage(thread.id, messageId)).to.equal(undefined);
  });

  it('keeps an older text because of a late update', async () => {
    await start();
    const messageId = say('1');
    double.gateway.hold();
    model.edit(thread.id, messageId, { content: '2' });
    model.edit(thread.id, messageId, { content: '3' });
    double.gateway.release('reversed');
    expect((await kept()).messages.get(messageId)).to.equal('2');
  });

  it('takes an outage for the end of the server', async () => {
    await start();
    model.setUnavailable(guild.id, true);
    model.setUnavailable(guild.id, false);
    await client.until('GUILD_DELETE');
    const { d } = client.events.find(({ t }) => t === 'GUILD_DELETE')!;
    expect(d).to.deep.equal({ id: guild.id, unavailable: true });
    expect(model.threads.has(thread.id)).to.equal(true);
  });

  it('keeps channels that it lost access to, and threads that were deleted with their channel', async () => {
    await start();
    const own = [...guild.roles.values()].find(({ botId }) => botId !== null)!;
    model.updateRole(guild.id, own.id, { permissions: 0n });
    model.updateRole(guild.id, guild.id, { permissions: 0n });
    expect((await kept()).threads.has(thread.id)).to.equal(true);
    expect(model.permissionsOf(model.bot.id, thread.id)).to.equal(0n);
    model.deleteChannel(forum.id);
    expect((await kept()).threads.has(thread.id)).to.equal(true);
  });

  it('keeps a thread that was archived or deleted while it was hidden', async () => {
    await start();
    const own = [...guild.roles.values()].find(({ botId }) => botId !== null)!;
    const hide = (deny: bigint): void =>
      void model.setOverwrite(forum.id, { id: own.id, type: 0, allow: 0n, deny });
    hide(1n << 10n);
    model.deleteThread(thread.id);
    hide(0n);
    const { threads } = await kept();
    expect(threads.has(thread.id)).to.equal(true);
    const sync = client.events.find(({ t }) => t === 'THREAD_LIST_SYNC')!;
    expect(sync.d).to.deep.include({ channel_ids: [forum.id], threads: [] });
  });

  it('keeps the name of a hidden channel', async () => {
    await start();
    const own = [...guild.roles.values()].find(({ botId }) => botId !== null)!;
    model.setOverwrite(forum.id, { id: own.id, type: 0, allow: 0n, deny: 1n << 10n });
    await kept();
    const { d } = client.events.findLast(({ t }) => t === 'CHANNEL_UPDATE')!;
    expect([d.name, Number(d.flags) & (1 << 17)]).to.deep.equal(['___hidden___', 1 << 17]);
  });

  it('finds no archived thread', async () => {
    await start();
    model.updateThread(thread.id, { isArchived: true });
    await client.close();
    client = await connect(double);
    await client.identify(Guilds);
    expect((await kept()).threads.size).to.equal(0);
  });

  it('finds neither the text nor the author of a message in its deletion', async () => {
    await start();
    model.deleteMessage(thread.id, say('What did it say?'));
    await kept();
    const { d } = client.events.find(({ t }) => t === 'MESSAGE_DELETE')!;
    expect(Object.keys(d)).to.deep.equal(['id', 'channel_id', 'guild_id']);
  });

  it('publishes a message that only one member sees', async () => {
    await start();
    const { id } = model.postEphemeral(thread.id, { authorId: model.bot.id, content: 'Hush' });
    expect((await kept()).messages.get(id)).to.equal('Hush');
    expect(model.findMessage(thread.id, id)).to.equal(undefined);
  });

  it('misses what happened when its session is not resumed', async () => {
    await start({ replayLimit: 2 });
    await client.close();
    const [, , last] = ['1', '2', '3'].map(say);
    const { sessionId, events } = client;
    client = await connect(double);
    client.resume(sessionId, events.at(-1)!.s);
    await until(() => client.signals.at(-1)?.op === Op.InvalidSession);
    await client.identify(Guilds | GuildMessages);
    expect((await kept()).messages.has(last!)).to.equal(false);
  });

  it('cannot resume a session that it closed politely', async () => {
    await start();
    await client.close(1_000);
    await until(() => double.gateway.connections === 0);
    const { sessionId, events } = client;
    client = await connect(double);
    client.resume(sessionId, events.at(-1)!.s);
    await until(() => client.signals.at(-1)?.op === Op.InvalidSession);
  });

  it('loses its token because it identifies again and again', async () => {
    await start({ identifiesPerDay: 3 });
    const { token } = double;
    for (let count = 0; count < 3; count += 1) {
      await client.close();
      client = await connect(double);
      client.send(Op.Identify, { token, intents: Guilds, properties: {} });
      await until(() => client.events.length > 0 || client.closeCode !== null);
    }
    expect(client.closeCode).to.equal(4_004);
    expect(double.token).not.to.equal(token);
  });

  it('reads no more than one message where it takes each message as a stream of its own', async () => {
    await start();
    const socket = new WebSocket(`${double.gatewayUrl}/?v=10&encoding=json&compress=zlib-stream`);
    const read: string[] = [];
    socket.on('message', (data: Buffer) => {
      try {
        read.push(inflateSync(data, { finishFlush: 2 }).toString());
      } catch {
        read.push('unreadable');
      }
    });
    await until(() => read.length === 1);
    socket.send(JSON.stringify({ op: Op.Heartbeat, d: null }));
    await until(() => read.length === 2);
    expect([JSON.parse(read[0]!) as object, read[1]]).to.deep.include('unreadable');
    socket.terminate();
  });
});
