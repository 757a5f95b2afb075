import { expect } from 'chai';
import { ChannelType } from 'discord-api-types/v10';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import { changeReactions } from '../../../services/indexer/gateway/changeReactions.js';
import { createIndexerMetrics } from '../../../services/indexer/metrics/indexerMetrics.js';
import { readOnceMore } from '../../../services/indexer/sync/repairThreads.js';
import { until, untilEqual } from '../../support/apiServer.js';
import type { DiscordOptions } from '../../support/discord/settings.js';
import { aSourceMessage, aSourceThread } from '../../support/factories.js';
import { record } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import {
  doTheRest,
  syncAgain,
  syncSuite,
  untilListening,
  untilSynced,
} from '../../support/syncRig.js';
import { verifyNow } from '../../support/verifiedArchive.js';

const VIEW_CHANNEL = 1n << 10n;
const THUMB = { id: null, name: '👍' };

describe('the events of the gateway', () => {
  const rig = syncSuite();
  const { stores, deps } = rig;

  async function start(options: DiscordOptions = {}): Promise<void> {
    await rig.open(options);
    rig.start({ listens: true });
    await untilListening(deps, rig.discord);
    await untilSynced(deps);
  }
  /** An open thread of a public forum, with some messages. */
  function aThread() {
    return rig.discord.model
      .publicThreads()
      .find(({ thread, messages }) => !thread.isArchived && messages.length > 4)!;
  }
  function requestsOf(route: string): number {
    return rig.discord.requests.filter((one) => one.route === route).length;
  }

  it('bring new, edited and deleted messages, without any request', async () => {
    await start();
    const { model } = rig.discord;
    const { thread, messages } = aThread();
    const asked = rig.discord.requests.length;
    model.clock.advance(60_000);
    const authorId = thread.ownerId;
    const said = model.post(thread.id, { authorId, content: 'Something new' });
    model.edit(thread.id, said.id, { content: 'Something newer' });
    model.edit(thread.id, messages[1]!.id, { content: 'Said otherwise' });
    model.deleteMessage(thread.id, messages[2]!.id);
    const gone = [3, 4].map((n) => model.post(thread.id, { authorId, content: `Gone ${n}` }).id);
    model.deleteMessages(thread.id, gone);
    await rig.untilSame();
    expect(rig.discord.requests.slice(asked)).to.deep.equal([]);
  });

  it('bring new threads, titles, tags and states, and deletions', async () => {
    await start();
    const { model } = rig.discord;
    const { thread, channel } = aThread();
    model.clock.advance(60_000);
    for (const starterFirst of [false, true]) {
      rig.discord.gateway.starterFirst = starterFirst;
      model.createThread(channel.id, {
        name: `A new post ${starterFirst}`,
        ownerId: thread.ownerId,
        starter: { content: 'First' },
      });
    }
    model.updateThread(thread.id, { name: 'Another title', appliedTagIds: [channel.tags[0]!.id] });
    model.updateThread(thread.id, { isLocked: true, isPinned: true });
    const others = model.publicThreads().filter((one) => one.thread.id !== thread.id);
    model.deleteThread(others[0]!.thread.id);
    await rig.untilSame();
    model.updateThread(thread.id, { isArchived: true });
    await rig.untilSame();
  });

  it('keep a deleted thread away that only an export brings later', async () => {
    await start();
    const { model } = rig.discord;
    const { channel, guild, thread } = aThread();
    model.clock.advance(60_000);
    const starter = { content: 'Deleted at once' };
    const values = { name: 'Short-lived', ownerId: thread.ownerId, starter };
    const { id } = model.createThread(channel.id, values);
    model.deleteThread(id);
    await untilListening(deps, rig.discord);
    const at = { server: { _id: guild.id }, channel: { _id: channel.id }, thread: { _id: id } };
    const message = aSourceMessage({ _id: id, threadId: id });
    expect(await record(deps, aSourceThread(at), [message])).to.include({ isDeleted: true });
    await doTheRest(deps);
    await stores.refreshSearch();
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  });

  it('bring nicknames, but take no reaction away and do not name who reacted', async () => {
    await start();
    const { model } = rig.discord;
    const { thread, messages } = aThread();
    const [, message] = messages;
    const { messages: records } = deps.collections;
    const reactions = async () => {
      const found = await records.findOne({ _id: message!.id });
      return found?.reactions.map(({ emoji, count, userIds }) => [emoji.name, count, userIds]);
    };
    model.clearReactions(thread.id, message!.id);
    await untilEqual(async () => JSON.stringify(await reactions()), '[]');
    const people = [...model.guilds.get(thread.guildId)!.members.keys()].slice(0, 3);
    people.forEach((userId) => model.react(thread.id, message!.id, userId, THUMB));
    await untilEqual(async () => JSON.stringify(await reactions()), '[["👍",3,[]]]');
    model.unreact(thread.id, message!.id, people[0]!, THUMB);
    model.edit(thread.id, message!.id, { content: 'Said otherwise' });
    model.updateMember(thread.guildId, people[1]!, { nick: 'Nick of now' });
    const said = model.post(thread.id, { authorId: people[1]!, content: 'By a nickname' });
    await until(async () => (await records.findOne({ _id: said.id })) !== null);
    expect(await reactions()).to.deep.equal([['👍', 2, []]]);
    expect((await records.findOne({ _id: said.id }))?.author.displayName).to.equal('Nick of now');
  });

  it('count a reaction at most twice until the message is read again', async () => {
    await start();
    const { model } = rig.discord;
    const { thread, messages } = aThread();
    const [, message] = messages;
    rig.discord.gateway.copies = 2;
    model.clearReactions(thread.id, message!.id);
    model.react(thread.id, message!.id, thread.ownerId, THUMB);
    const { messages: records, sync: known } = deps.collections;
    const count = async () => (await records.findOne({ _id: message!.id }))?.reactions[0]?.count;
    await untilEqual(count, 2);
    await known.updateMany({ kind: 'message' }, { $set: { dueAt: new Date(0) } });
    await untilEqual(count, 1);
    await untilEqual(() => known.countDocuments({ kind: 'message' }), 0);
  });

  it('keep the votes of a poll where an event does not tell them', async () => {
    await start();
    const { model } = rig.discord;
    const { thread } = aThread();
    const { messages: records, sync: known } = deps.collections;
    const answers = [{ id: 1, text: 'Yes', voterIds: new Set<string>() }];
    const poll = { question: 'Is it?', answers, endsAt: model.clock.now(), isFinal: false };
    const { id } = model.post(thread.id, { authorId: thread.ownerId, poll });
    model.vote(thread.id, id, thread.ownerId, 1);
    const readNow = async () => {
      await untilListening(deps, rig.discord);
      await known.updateMany({ kind: 'message' }, { $set: { dueAt: new Date(0) } });
      await untilEqual(() => known.countDocuments({ kind: 'message' }), 0);
    };
    const content = async () => (await records.findOne({ _id: id }))?.content;
    await readNow();
    expect(await content()).to.equal('**Is it?**\n- Yes (1)');
    model.setPinned(thread.id, id, true);
    await untilListening(deps, rig.discord);
    expect(await content()).to.equal('**Is it?**\n- Yes (1)');
    await readNow();
    expect(await records.findOne({ _id: id })).to.include({ pinned: true });
  });

  it('record a thread so that later lists do not cause it to be fetched again', async () => {
    await start();
    const { model } = rig.discord;
    const { thread: other, channel } = aThread();
    const thread = model.createThread(channel.id, {
      name: 'Talk',
      ownerId: other.ownerId,
      starter: { content: 'First' },
    });
    model.post(thread.id, { authorId: thread.ownerId, content: 'Zero' });
    const talk = async (content: string) => {
      model.clock.advance(60_000);
      model.post(thread.id, { authorId: thread.ownerId, content });
      model.deleteMessage(thread.id, model.messagesOf(thread.id).at(-2)!.id);
      await rig.untilSame();
      await syncAgain(deps);
    };
    // Before the first list of the session, something may have been missed.
    await talk('One');
    const asked = requestsOf('messages');
    await talk('Two');
    await talk('Three');
    expect(requestsOf('messages')).to.equal(asked);
  });

  it('withhold a forum at once, and nothing that is written there meanwhile is recorded', async () => {
    await start();
    const { model } = rig.discord;
    const { guild, thread, channel } = aThread();
    await doTheRest(deps);
    const overwrite = { id: guild.id, type: 0, allow: 0n } as const;
    model.setOverwrite(channel.id, { ...overwrite, deny: VIEW_CHANNEL });
    const secret = model.post(thread.id, { authorId: thread.ownerId, content: 'A secret' });
    const { channels, messages, threadItems } = deps.collections;
    await until(async () => (await channels.findOne({ _id: channel.id }))?.withheldAt != null);
    await untilListening(deps, rig.discord);
    await doTheRest(deps);
    expect(await threadItems.countDocuments({ channelId: channel.id })).to.equal(0);
    expect(await messages.findOne({ _id: secret.id })).to.equal(null);
    model.setOverwrite(channel.id, { ...overwrite, deny: 0n });
    await rig.untilSame();
  });

  it('remove what was deleted in a withheld forum before it is shown again', async () => {
    await start();
    const { model } = rig.discord;
    const { guild, thread, channel, messages } = aThread();
    await doTheRest(deps);
    const { channels, messages: records, threads } = deps.collections;
    const inForum = [...model.threads.values()].filter(({ parentId }) => parentId === channel.id);
    const other = inForum.find(({ id }) => id !== thread.id)!;
    const own = [...guild.roles.values()].find(({ botId }) => botId !== null)!;
    const everyone = { id: guild.id, type: 0, allow: 0n } as const;
    model.setOverwrite(channel.id, { id: own.id, type: 0, allow: VIEW_CHANNEL, deny: 0n });
    model.setOverwrite(channel.id, { ...everyone, deny: VIEW_CHANNEL });
    await until(async () => (await channels.findOne({ _id: channel.id }))?.withheldAt != null);
    const gone = messages[1]!.id;
    model.deleteMessage(thread.id, gone);
    model.deleteThread(other.id);
    await untilEqual(async () => (await records.findOne({ _id: gone }))?.deleted, true);
    await untilEqual(async () => (await threads.findOne({ _id: other.id }))?.deleted, true);
    model.setOverwrite(channel.id, { ...everyone, deny: 0n });
    await rig.untilSame();
  });

  it('cause a forum to be read again that was hidden and shown again before anybody looked', async () => {
    await start();
    const { model, gateway } = rig.discord;
    const { guild, channel, thread, messages } = aThread();
    const overwrite = { id: guild.id, type: 0, allow: 0n } as const;
    gateway.freeze(true);
    model.setOverwrite(channel.id, { ...overwrite, deny: VIEW_CHANNEL });
    model.edit(thread.id, messages[1]!.id, { content: 'Said otherwise, unheard' });
    model.setOverwrite(channel.id, { ...overwrite, deny: 0n });
    gateway.freeze(false);
    await rig.untilSame();
  });

  it('cause all of a server to be read again that could not be looked at for a while', async () => {
    await start();
    const { model, faults } = rig.discord;
    const { guild, thread, messages } = aThread();
    faults.next('notFound', { route: 'guild' });
    model.createRole(guild.id, { name: 'new role' });
    const { sync } = deps.collections;
    const refused = { _id: guild.id, problem: { $ne: null } };
    await until(async () => (await syncOf(sync, 'server').findOne(refused)) !== null);
    model.clock.advance(60_000);
    model.edit(thread.id, messages[1]!.id, { content: 'Said otherwise, unheard' });
    await untilListening(deps, rig.discord);
    await syncAgain(deps);
    await rig.untilSame();
  });

  it('cause a message to be read again where somebody reacts before it is recorded', async () => {
    await start();
    const { guild, channel, thread, messages } = aThread();
    const place = {
      threadId: thread.id,
      serverId: guild.id,
      channelId: channel.id,
      owner: 'owner',
    };
    const [message] = messages as [(typeof messages)[number]];
    await deps.collections.messages.deleteOne({ _id: message.id });
    const change = { kind: 'cleared' as const };
    await changeReactions(deps, place, [{ messageId: message.id, change, asOf: 1 }]);
    const again = await deps.collections.sync.findOne({ _id: `message/${message.id}` });
    expect(again).to.include({ kind: 'message', threadId: thread.id });
  });

  it('are recorded where the bot gained access again before an earlier refusal arrived', async () => {
    await start();
    const { model, faults } = rig.discord;
    const { thread, guild, channel } = aThread();
    const { id } = [...guild.roles.values()].find(({ botId }) => botId !== null)!;
    const deny = (bits: bigint) =>
      model.setOverwrite(channel.id, { id, type: 0, allow: 0n, deny: bits });
    const { sync } = deps.collections;
    const noted = () => syncOf(sync, 'channel').findOne({ _id: channel.id });
    let isAsked = false;
    const end = faults.before('messages', () => {
      end();
      isAsked = true;
      deny(VIEW_CHANNEL);
      faults.next('held', { route: 'messages' });
    });
    await readOnceMore(deps, thread.id);
    await until(() => isAsked);
    const { token } = (await noted())!;
    deny(0n);
    await until(async () => {
      const now = await noted();
      return now?.token !== token && now?.problem === null && now.listedTo !== undefined;
    });
    faults.clear();
    await untilSynced(deps);
    model.post(thread.id, { authorId: thread.ownerId, content: 'As it happens' });
    await rig.untilSame();
    expect(await noted()).to.include({ problem: null });
  });

  it('remove a deleted forum, and add a new one', async () => {
    await start();
    const { model } = rig.discord;
    const { guild, channel, thread, messages } = aThread();
    await doTheRest(deps);
    model.react(thread.id, messages[1]!.id, thread.ownerId, THUMB);
    const toRead = () => deps.collections.sync.countDocuments({ kind: 'message' });
    await untilEqual(toRead, 1);
    const next = model.createChannel(guild.id, {
      type: ChannelType.GuildForum,
      name: 'fresh',
      parentId: null,
    });
    model.createThread(next.id, {
      name: 'The first post',
      ownerId: thread.ownerId,
      starter: { content: 'Hello' },
    });
    model.deleteChannel(channel.id);
    const { channels, threadItems, threads } = deps.collections;
    await until(async () => (await channels.findOne({ _id: channel.id }))?.deleted === true);
    await until(async () => (await threads.findOne({ channelId: next.id })) !== null);
    // Its first message is recorded after the thread.
    await untilListening(deps, rig.discord);
    await doTheRest(deps);
    expect(await threadItems.countDocuments({ channelId: channel.id })).to.equal(0);
    expect(await threadItems.countDocuments({ channelId: next.id })).to.equal(1);
    // Nothing waits that cannot be fetched.
    expect(await toRead()).to.equal(0);
  });

  it('delete nothing when a server is away, or hides its channels', async () => {
    await start();
    const { model } = rig.discord;
    const { guild } = aThread();
    const { threads, channels } = deps.collections;
    const before = await threads.countDocuments({ deleted: { $ne: true } });
    model.setUnavailable(guild.id, true);
    model.setUnavailable(guild.id, false);
    const own = [...guild.roles.values()].find(({ botId }) => botId !== null)!;
    model.updateRole(guild.id, own.id, { permissions: 0n });
    model.updateRole(guild.id, guild.id, { permissions: 0n });
    await until(async () => (await channels.countDocuments({ withheldAt: { $exists: true } })) > 0);
    await untilListening(deps, rig.discord);
    expect(await threads.countDocuments({ deleted: { $ne: true } })).to.equal(before);
    expect(await channels.countDocuments({ deleted: true })).to.equal(0);
  });

  it('cause the threads of a server to be read once more after an outage without events', async () => {
    await rig.open();
    rig.start({ listens: true, repairEveryMs: 50 });
    await untilListening(deps, rig.discord);
    await untilSynced(deps);
    const { model } = rig.discord;
    const { guild, messages } = aThread();
    const notRead = { kind: 'thread', serverId: guild.id, readAt: { $exists: false } } as const;
    const { sync } = deps.collections;
    await untilEqual(() => syncOf(sync, 'thread').countDocuments(notRead), 0);
    model.setUnavailable(guild.id, true);
    // The edit causes no event.
    const editedMicros = model.clock.now() * 1_000;
    Object.assign(messages[1]!, { content: 'Said otherwise, unheard', editedMicros });
    model.setUnavailable(guild.id, false);
    await rig.untilSame();
  });

  it('store no message that only one person sees, and none of a channel that is not archived', async () => {
    await start();
    const { model } = rig.discord;
    const { thread } = aThread();
    const staff = [...model.threads.values()].find(
      ({ parentId, isLocked }) => !isLocked && model.channels.get(parentId)?.name === 'staff',
    )!;
    const authorId = thread.ownerId;
    model.postEphemeral(thread.id, { authorId, content: 'For you alone' });
    const hidden = model.post(staff.id, { authorId, content: 'For the staff alone' });
    model.edit(staff.id, hidden.id, { content: 'For the staff alone, again' });
    model.react(staff.id, hidden.id, authorId, THUMB);
    const said = model.post(thread.id, { authorId, content: 'For everybody' });
    const { messages } = deps.collections;
    await until(async () => (await messages.findOne({ _id: said.id })) !== null);
    await untilListening(deps, rig.discord);
    const found = await messages.distinct('content', { content: /^For / });
    expect(found).to.deep.equal(['For everybody']);
  });

  it("record a webhook's messages without a person, and a late answer brings back nothing deleted", async () => {
    await start();
    const { model } = rig.discord;
    const { thread } = aThread();
    const webhook = { name: 'Build', avatar: null };
    const authorId = '310000000000000077';
    const said = model.post(thread.id, { authorId, content: 'It is green', webhook });
    await rig.untilSame();
    expect(await deps.collections.members.findOne({ userId: authorId })).to.equal(null);
    // The answer is made while the message exists, and read after the event of its deletion.
    rig.discord.faults.latencyMs = 400;
    const reading = syncAgain(deps, { threadId: thread.id });
    const asked = requestsOf('messages');
    await until(() => requestsOf('messages') > asked);
    model.deleteMessage(thread.id, said.id);
    rig.discord.faults.latencyMs = 0;
    await reading;
    await rig.untilSame();
  });

  it('build a thread only a few times in a burst, and leave an archive without differences', async () => {
    const counts = () => Promise.resolve({ waiting: 0, active: 0, delayed: 0, failed: 0 });
    const { registry, counters } = createIndexerMetrics(deps.collections, { counts });
    deps.counters = counters;
    await start();
    const { model } = rig.discord;
    const { thread, messages } = aThread();
    await doTheRest(deps);
    const counted = async (name: string): Promise<number> => {
      const [line = ''] = (await registry.metrics()).match(new RegExp(`^${name} .*$`, 'm')) ?? [];
      return Number(line.slice(name.length));
    };
    const builtBefore = await counted('forum_archive_threads_projected_total');
    const people = [...model.guilds.get(thread.guildId)!.members.keys()];
    for (let n = 0; n < 300; n += 1) {
      model.clock.advance(1_000);
      const userId = people[n % people.length]!;
      if (n % 3 === 0) model.react(thread.id, messages[n % 4]!.id, userId, THUMB);
      else model.post(thread.id, { authorId: userId, content: `Reply ${n}` });
    }
    await rig.untilSame();
    await until(async () => (await counted('forum_archive_event_duration_seconds_count')) > 200);
    await untilEqual(() => counted('forum_archive_gateway_waiting_events'), 0);
    // A process that is held up for long gives its connection up, and then opens another one.
    await untilEqual(() => counted('forum_archive_gateway_connected'), 1);
    await untilListening(deps, rig.discord);
    // Messages with changed reactions are read again later. That could happen during the comparison.
    await rig.sync.stop();
    await doTheRest(deps);
    const built = (await counted('forum_archive_threads_projected_total')) - builtBefore;
    expect(built).to.be.within(1, 59);
    const shown = await readBody<ThreadDetail>(deps.collections, `thread/${thread.id}`);
    expect(shown?.messages.at(-1)?.content).to.equal('Reply 299');
    await stores.refreshSearch();
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  });
});
