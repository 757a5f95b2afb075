import { expect } from 'chai';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { deleteMessage } from '../../../services/indexer/jobs/deleteMessage.js';
import { eraseUser } from '../../../services/indexer/jobs/eraseUser.js';
import { valueDigest } from '../../../services/indexer/records/mergeFields.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import type { Change } from '../../../services/indexer/work/change.js';
import type { DiscordOptions } from '../../support/discord/settings.js';
import type { Thread } from '../../support/discord/model/entities.js';
import type { PublicThread } from '../../support/discord/model/model.js';
import { until, untilEqual } from '../../support/apiServer.js';
import { anId, aSourceMessage, aSourceThread } from '../../support/factories.js';
import { doAll, record } from '../../support/indexerDeps.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import type { ChannelList, ServerStats } from '../../../shared/contract/servers.js';
import { readBody } from '../../support/readBody.js';
import { verifyNow } from '../../support/verifiedArchive.js';
import type { SyncRequest } from '../../../shared/contract/admin.js';
import { requestSync } from '../../../shared/store/requestSync.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { PAGE_SIZE } from '../../../shared/discordApi/requests.js';
import { liveTime, realMicros } from '../../../shared/store/sourceTime.js';
import { stateOf } from '../../../shared/store/state.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import { AT_ONCE } from '../../../shared/store/work.js';
import {
  archivedState,
  differences,
  publicState,
  startTestSync,
  syncAgain,
  syncSuite,
  untilSynced,
} from '../../support/syncRig.js';

const VIEW_CHANNEL = 1n << 10n;

/** A write side on which removals of messages wait until they are released. */
interface HeldRemovals {
  deps: IndexerDeps;
  /** The removals that were asked for. */
  removals: Promise<unknown>[];
  release: () => void;
}

function holdRemovals(deps: IndexerDeps): HeldRemovals {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const removals: Promise<unknown>[] = [];
  const commit = <T>(change: Change<T>): Promise<T> => {
    const { messages, servers } = change.reads;
    if (!messages || servers) return deps.commit(change);
    const removal = released.then(() => deps.commit(change));
    removals.push(removal);
    return removal;
  };
  return { deps: { ...deps, commit }, removals, release };
}

describe('the sync', () => {
  const rig = syncSuite();
  const { stores, deps } = rig;

  async function start(options: DiscordOptions = {}) {
    await rig.open(options);
    rig.start();
  }
  function deny(guildId: string, channelId: string, permissions: bigint) {
    const overwrite = { id: guildId, type: 0, allow: 0n, deny: permissions } as const;
    rig.discord.model.setOverwrite(channelId, overwrite);
  }
  async function problemNow() {
    const lease = await stateOf(deps.collections.state, 'sync').findOne({ _id: 'sync' });
    return lease?.problem ?? null;
  }
  async function expectSame() {
    const expected = publicState(rig.discord);
    const found = await archivedState(deps);
    expect(differences(found, expected)).to.deep.equal([]);
    return Object.keys(found).length;
  }

  /** Syncs everything, and returns threads of two forums of one server. */
  async function withTwoForums(): Promise<[PublicThread, PublicThread]> {
    await untilSynced(deps);
    const places = rig.discord.model.publicThreads();
    const [first] = places;
    const second = places.find(
      ({ guild, channel }) => guild.id === first!.guild.id && channel.id !== first!.channel.id,
    );
    return [first!, second!];
  }
  /** Has a forum withheld for long, and waits until its messages are being removed. */
  async function untilRemoving(channelId: string, held: HeldRemovals): Promise<void> {
    const { channels } = deps.collections;
    const { guildId } = [...rig.discord.model.channels.values()].find(
      ({ id }) => id === channelId,
    )!;
    deny(guildId, channelId, VIEW_CHANNEL);
    await syncAgain(deps);
    await doAll(deps);
    const longAgo = new Date(Date.now() - 13 * 3_600_000);
    await channels.updateOne({ _id: channelId }, { $set: { withheldAt: longAgo } });
    await requestSync(deps.collections, {});
    await until(() => held.removals.length > 0);
  }
  /** The digest by which somebody could confirm everything that was told of a thread. */
  async function digestOf(threadId: string): Promise<string> {
    const record = await deps.collections.threads.findOne({ _id: threadId });
    // The platform does not tell when a thread was locked.
    const { stamps: _stamps, asOf: _asOf, lockedAt: _lockedAt, ...told } = record!;
    return valueDigest(told);
  }
  /** How often the platform was asked for a forum by its id. */
  function questions(channelId: string): number {
    return rig.discord.requests.filter(({ path }) => path === `/channels/${channelId}`).length;
  }
  /** Moves the platform's last refusal to tell of a forum into the past. */
  async function refusedHoursAgo(channelId: string, hours: number): Promise<void> {
    const refusedAt = new Date(Date.now() - hours * 3_600_000);
    const refused = { _id: channelId, refusedAt: { $exists: true } };
    const known = syncOf(deps.collections.sync, 'channel');
    const { matchedCount } = await known.updateOne(refused, { $set: { refusedAt } });
    expect(matchedCount).to.equal(1);
  }

  it('records every public thread of every server with all messages, and nothing else', async () => {
    await start({ history: { guilds: 2, forums: 1, threads: 3, messages: 220 } });
    const threads = rig.discord.model.publicThreads();
    expect(threads.some(({ messages }) => messages.length > PAGE_SIZE)).to.equal(true);
    await untilSynced(deps);
    expect(await expectSame()).to.be.above(10);
  });

  it('continues after it was stopped at any moment, and after faults, and then asks and writes little', async () => {
    await rig.open({ history: { forums: 1, threads: 40, messages: 6 } });
    const { model, faults, requests } = rig.discord;
    const { thread } = model.publicThreads().find((one) => !one.thread.isArchived)!;
    for (let n = 0; n < 2 * PAGE_SIZE; n += 1)
      model.post(thread.id, { authorId: thread.ownerId, content: `Reply ${n}` });
    rig.start();
    for (const stopAt of [5, 15, 40]) {
      await until(() => requests.length >= stopAt);
      await rig.sync.stop();
      faults.next('serverError', { times: 2 });
      faults.next('cutBody', { times: 2 });
      rig.start();
    }
    await untilSynced(deps);
    expect(await expectSame()).to.be.above(40);

    const { threads, messages, work } = deps.collections;
    await work.deleteMany({});
    const before = [await threads.find().toArray(), await messages.find().toArray()];
    const asked = requests.length;
    await syncAgain(deps);
    const forums = await syncOf(deps.collections.sync, 'channel').countDocuments({
      kind: 'channel',
      problem: null,
    });
    expect(requests.length - asked).to.be.at.most(forums + 9);
    expect([await threads.find().toArray(), await messages.find().toArray()]).to.deep.equal(before);
    expect(await work.countDocuments({ kind: 'thread' })).to.equal(0);
  });

  it('has a long thread built only now and then while its pages are fetched', async () => {
    await start();
    await untilSynced(deps);
    await doAll(deps);
    await rig.sync.stop();
    const { model } = rig.discord;
    const open = model.publicThreads().filter(({ thread }) => !thread.isArchived);
    const [long, short] = open.map(({ thread }) => thread);
    await deps.collections.sync.updateOne({ _id: long!.id }, { $set: { fetched: 1_000 } });
    for (const { id, ownerId } of [long!, short!]) {
      model.clock.advance(60_000);
      for (let n = 0; n < PAGE_SIZE; n += 1) model.post(id, { authorId: ownerId, content: `${n}` });
    }
    const began = Date.now();
    rig.start();
    const { messages, work } = deps.collections;
    await until(async () => (await messages.countDocuments({ content: '99' })) === 2);
    const dueOf = async ({ id }: Thread) => (await work.findOne({ _id: `thread/${id}` }))?.due;
    expect((await dueOf(long!))?.getTime()).to.be.above(began + 1_000);
    expect(await dueOf(short!)).to.deep.equal(AT_ONCE);
  });

  it('finds what is new, and what was deleted where the counts show it', async () => {
    await start();
    await untilSynced(deps);
    const { model } = rig.discord;
    const [one, other] = model.publicThreads().filter(({ messages }) => messages.length > 3);
    model.clock.advance(60_000);
    model.post(one!.thread.id, { authorId: one!.thread.ownerId, content: 'Something new' });
    model.deleteMessage(other!.thread.id, other!.messages[2]!.id);
    model.updateThread(one!.thread.id, { name: 'Another title' });
    model.createThread(one!.channel.id, {
      name: 'A new post',
      ownerId: one!.thread.ownerId,
      starter: { content: 'First' },
    });
    await syncAgain(deps);
    await expectSame();
  });

  it('reads a thread once more when asked to: edits and deletions come', async () => {
    await start();
    await untilSynced(deps);
    const { model } = rig.discord;
    const { thread, messages } = model
      .publicThreads()
      .find((one) => one.messages.length > 4 && !one.thread.isArchived)!;
    model.clock.advance(60_000);
    model.edit(thread.id, messages[1]!.id, { content: 'Said otherwise' });
    model.deleteMessage(thread.id, messages[2]!.id);
    await syncAgain(deps, { threadId: thread.id });
    await expectSame();
  });

  it('removes a thread that it was asked to read where the platform says that it was deleted', async () => {
    await start();
    await untilSynced(deps);
    const { model } = rig.discord;
    const [{ thread }, { thread: unknown }] = model.publicThreads() as [PublicThread, PublicThread];
    const { threads, sync } = deps.collections;
    await threads.deleteOne({ _id: unknown.id });
    for (const { id } of [thread, unknown]) model.deleteThread(id);
    await syncAgain(deps, { threadId: thread.id });
    await expectSame();
    expect(await sync.countDocuments({ problem: /Unknown Channel/ })).to.equal(0);
    // An id that was never recorded may be a wrong one.
    const requestId = await requestSync(deps.collections, { threadId: unknown.id });
    const asked = { _id: requestId, problem: /Unknown Channel/ };
    await until(async () => (await sync.findOne(asked)) !== null);
  });

  it('says that a forum is no thread, and a thread no forum, where it is asked for the wrong kind', async () => {
    await start();
    await untilSynced(deps);
    const { thread, channel } = rig.discord.model.publicThreads()[0]!;
    const problemOf = async (place: SyncRequest) => {
      const _id = await requestSync(deps.collections, place);
      const requests = syncOf(deps.collections.sync, 'request');
      await until(async () => (await requests.findOne({ _id }))?.problem !== undefined);
      return (await requests.findOne({ _id }))?.problem;
    };
    const asThread = await problemOf({ threadId: channel.id });
    expect(asThread).to.equal('It is not archived. It is no public thread');
    const asForum = await problemOf({ channelId: thread.id });
    expect(asForum).to.equal('It is not archived. It is no forum');
  });

  it('removes a forum that it was asked to list where the platform says that it was deleted', async () => {
    await start();
    await untilSynced(deps);
    const { channel } = rig.discord.model.publicThreads()[0]!;
    rig.discord.model.deleteChannel(channel.id);
    // The second time, it is already removed.
    for (let times = 0; times < 2; times += 1) await syncAgain(deps, { channelId: channel.id });
    const { channels, sync } = deps.collections;
    expect(await sync.countDocuments({ problem: /Unknown Channel/ })).to.equal(0);
    expect((await channels.findOne({ _id: channel.id }))?.deleted).to.equal(true);
    expect(await sync.countDocuments({ channelId: channel.id, kind: 'thread' })).to.equal(0);
    // An id that was never archived may be a wrong one.
    const requestId = await requestSync(deps.collections, { channelId: anId() });
    const asked = { _id: requestId, problem: /Unknown Channel/ };
    await until(async () => (await sync.findOne(asked)) !== null);
  });

  it('finds edits and deletions by itself, because it reads threads once more', async () => {
    await start();
    await untilSynced(deps);
    await rig.sync.stop();
    const { model } = rig.discord;
    const found = model
      .publicThreads()
      .filter(({ thread, messages }) => !thread.isArchived && messages.length > 4);
    expect(found.length).to.be.above(1);
    // The first reading of this thread was cut off.
    const cutOff = { _id: found[1]!.thread.id };
    await syncOf(deps.collections.sync, 'thread').updateOne(cutOff, { $unset: { readAt: '' } });
    model.clock.advance(60_000);
    for (const { thread, messages } of found) {
      model.edit(thread.id, messages[1]!.id, { content: 'Said otherwise' });
      model.deleteMessage(thread.id, messages[2]!.id);
    }
    model.deleteThread(found[0]!.thread.id);
    rig.start({ repairEveryMs: 50 });
    await rig.untilSame();
  });

  it('finds earlier edits by itself in a thread whose second reading it continues', async () => {
    await rig.open({ history: { forums: 1, threads: 2, messages: 8 } });
    rig.start();
    await untilSynced(deps);
    await rig.sync.stop();
    const { model } = rig.discord;
    const { thread, messages } = model.publicThreads().find((one) => !one.thread.isArchived)!;
    // It was cut off after the last message.
    const after = messages.at(-1)!.id;
    const place = { todo: 'all', after, since: liveTime(Date.now() * 1_000) } as const;
    await syncOf(deps.collections.sync, 'thread').updateOne({ _id: thread.id }, { $set: place });
    model.clock.advance(60_000);
    model.edit(thread.id, messages[1]!.id, { content: 'Said otherwise' });
    rig.start({ repairEveryMs: 50 });
    await rig.untilSame();
  });

  it('reads threads once more when they were not read for the configured time', async () => {
    const history = { forums: 1, threads: 2, messages: 8 };
    await rig.open({ history });
    const { model } = rig.discord;
    const [{ channel, thread: other }] = model.publicThreads() as [PublicThread];
    const thread = model.createThread(channel.id, {
      name: 'Told often',
      ownerId: other.ownerId,
      starter: { content: 'Said' },
    });
    rig.start({ repairEveryMs: 50, repairAfterMs: 1 });
    const read = async () => {
      const known = await syncOf(deps.collections.sync, 'thread').findOne({ _id: thread.id });
      return known?.readAt?.getTime() ?? 0;
    };
    for (const text of ['Said otherwise', 'Said otherwise again']) {
      const before = await read();
      await until(async () => (await read()) > before);
      model.clock.advance(60_000);
      model.edit(thread.id, thread.id, { content: text });
      await untilEqual(
        async () => (await deps.collections.messages.findOne({ _id: thread.id }))?.content,
        text,
      );
    }
  });

  it('reads every thread once more, even if others are due again before, or cannot be read', async () => {
    await rig.open({ history: { forums: 1, threads: 4, messages: 3 } });
    rig.start();
    await untilSynced(deps);
    await rig.sync.stop();
    const threads = syncOf(deps.collections.sync, 'thread');
    // Nothing can be made of this content.
    const [{ thread }] = rig.discord.model.publicThreads() as [PublicThread];
    Object.assign(rig.discord.model.messagesOf(thread.id)[0]!, { content: 7 });
    const began = new Date();
    rig.start({ repairEveryMs: 50, repairAfterMs: 1 });
    const unread = { kind: 'thread', readAt: { $not: { $gte: began } } } as const;
    await until(async () => (await threads.countDocuments(unread)) === 0);
    const broken = await threads.findOne({ _id: thread.id });
    expect(broken?.problem).to.include('content');
  });

  it('records the rest where an import has moved a forum to another server, and a thread to another forum', async () => {
    await rig.open({ history: { forums: 2, threads: 4, messages: 4 } });
    const { model } = rig.discord;
    const places = model.publicThreads();
    const [{ channel: forum }] = places as [PublicThread];
    const other = places.find(({ channel }) => channel.id !== forum.id)!;
    for (const [channelId, threadId, serverId] of [
      [forum.id, '71', '72'],
      ['73', other.thread.id, '72'],
    ] as const) {
      const source = aSourceThread({
        server: { _id: serverId, name: 'Forged' },
        channel: { _id: channelId, name: 'forged' },
        thread: { _id: threadId, title: 'Forged' },
      });
      await record(deps, source, [aSourceMessage({ _id: threadId, threadId })]);
    }
    rig.start();
    await untilSynced(deps);
    const found = await archivedState(deps);
    const expected = Object.entries(publicState(rig.discord)).filter(
      ([id]) => model.threads.get(id)?.parentId !== forum.id && id !== other.thread.id,
    );
    expect(expected.length).to.be.above(0);
    for (const [id, told] of expected) {
      expect(differences({ [id]: found[id]! }, { [id]: told })).to.deep.equal([]);
    }
    const { sync } = deps.collections;
    const [channel, thread] = await Promise.all([
      syncOf(sync, 'channel').findOne({ _id: forum.id }),
      syncOf(sync, 'thread').findOne({ _id: other.thread.id }),
    ]);
    expect(channel?.problem).to.include('but 72 is recorded');
    expect(thread?.problem).to.include('but 72 is recorded');
  });

  it('reads a thread to its end where an import has put a message of it into another thread', async () => {
    await rig.open({ history: { forums: 1, threads: 4, messages: 250 } });
    const { messages: said } = rig.discord.model
      .publicThreads()
      .find(({ messages }) => messages.length > 100)!;
    const source = aSourceThread({});
    const threadId = source.thread._id;
    await record(deps, source, [
      aSourceMessage({ _id: threadId, threadId }),
      aSourceMessage({ _id: said[1]!.id, threadId }),
    ]);
    rig.start();
    await untilSynced(deps);
    const { threads, messages, sync } = deps.collections;
    const failed = { kind: 'thread', problem: { $exists: true } } as const;
    expect(await syncOf(sync, 'thread').findOne(failed)).to.equal(null);
    expect(await messages.countDocuments({ threadId })).to.equal(1);
    await threads.deleteOne({ _id: threadId });
    await expectSame();
  });

  it('reads recorded threads of which nothing was noted, because they may be deleted', async () => {
    await start();
    await untilSynced(deps);
    await rig.sync.stop();
    const [gone, kept] = rig.discord.model.publicThreads().map(({ thread }) => thread.id);
    await deps.collections.sync.deleteMany({ _id: { $in: [gone!, kept!] } });
    rig.discord.model.deleteThread(gone!);
    rig.start();
    await untilEqual(
      async () => (await deps.collections.threads.findOne({ _id: gone! }))?.deleted,
      true,
    );
    await untilSynced(deps);
    await expectSame();
  });

  it('asks for everything new as often as configured', async () => {
    await rig.open({ history: { forums: 1, threads: 2, messages: 2 } });
    rig.start({ allEveryMs: 300 });
    const looks = () => rig.discord.requests.filter(({ route }) => route === 'guilds').length;
    await until(() => looks() > 2);
  });

  it('stays within the rate limit buckets that it knows', async () => {
    await start({ rateLimits: true });
    await untilSynced(deps);
    await expectSame();
    expect(rig.discord.limits.counts).to.deep.include({
      bucket: 0,
      global: 0,
      cloudflare: 0,
      ban: 0,
    });
  });

  it('archives a channel that is not for everyone only when the operator names it', async () => {
    await rig.open();
    const staff = [...rig.discord.model.channels.values()].find(({ name }) => name === 'staff')!;
    rig.start({ named: [staff.id] });
    await untilSynced(deps);
    const { threads, sync: known } = deps.collections;
    expect(await threads.countDocuments({ channelId: staff.id })).to.equal(3);
    const problems = await syncOf(known, 'channel')
      .find({ kind: 'channel', problem: { $ne: null } })
      .toArray();
    const told = problems.map(({ name, problem }) => `${name}: ${problem}`).sort();
    expect(told).to.deep.equal([
      'adults: It is age-restricted',
      'no-history: Not everyone on the server may read it',
      'story-spoilers: It is a spoiler channel',
    ]);
  });

  it('withholds a forum that became private, and shows it again when it is public', async () => {
    await start();
    await untilSynced(deps);
    await doAll(deps);
    const { model } = rig.discord;
    const { guild, channel } = model.publicThreads()[0]!;
    const listed = () => deps.collections.threadItems.countDocuments({ channelId: channel.id });
    const before = await listed();
    expect(before).to.be.above(0);
    deny(guild.id, channel.id, VIEW_CHANNEL);
    await syncAgain(deps);
    await doAll(deps);
    expect(await listed()).to.equal(0);
    const channels = await readBody<ChannelList>(deps.collections, `channels/${guild.id}`);
    expect(channels?.channels.map(({ id }) => id)).not.to.include(channel.id);
    await stores.refreshSearch();
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
    deny(guild.id, channel.id, 0n);
    await syncAgain(deps);
    await doAll(deps);
    expect(await listed()).to.equal(before);
    await expectSame();
  });

  it('withholds a forum that became private since the backup from which the archive was restored', async () => {
    await start();
    await untilSynced(deps);
    await doAll(deps);
    await rig.sync.stop();
    const { guild, channel } = rig.discord.model.publicThreads()[0]!;
    const listed = () => deps.collections.threadItems.countDocuments({ channelId: channel.id });
    expect(await listed()).to.be.above(0);
    // A backup does not hold how far the sync had come.
    await deps.collections.sync.deleteMany({});
    deny(guild.id, channel.id, VIEW_CHANNEL);
    rig.start();
    await untilSynced(deps);
    await doAll(deps);
    expect(await listed()).to.equal(0);
  });

  it('finds what was deleted in a forum while it was not public', async () => {
    await rig.open();
    rig.start();
    await untilSynced(deps);
    const { model } = rig.discord;
    const places = model.publicThreads();
    const { guild, channel, thread, messages } = places.find((one) => one.messages.length > 2)!;
    deny(guild.id, channel.id, VIEW_CHANNEL);
    await syncAgain(deps);
    model.deleteMessage(thread.id, messages[1]!.id);
    deny(guild.id, channel.id, 0n);
    await syncAgain(deps);
    await expectSame();
  });

  it('removes the messages of a forum that stays withheld, and fetches them again when it is public', async () => {
    await start();
    await untilSynced(deps);
    await doAll(deps);
    const { channels, messages, threads } = deps.collections;
    const [own, other] = rig.discord.model.publicThreads().filter((one) => one.messages.length > 3);
    const { guild, channel, thread } = own!;
    expect(other!.channel.id).to.equal(channel.id);
    const erased = other!.messages[1]!;
    await deleteMessage(deps, { messageId: erased.id });
    await doAll(deps);
    deny(guild.id, channel.id, VIEW_CHANNEL);
    await syncAgain(deps);
    await doAll(deps);
    expect(await messages.countDocuments({ threadId: thread.id })).to.be.above(0);
    const longAgo = new Date(Date.now() - 13 * 3_600_000);
    await channels.updateOne({ _id: channel.id }, { $set: { withheldAt: longAgo } });
    await syncAgain(deps);
    await untilEqual(() => threads.distinct('title', { channelId: channel.id }), ['thread']);
    const ids = await threads.distinct('_id', { channelId: channel.id });
    const left = await messages.find({ threadId: { $in: ids } }).toArray();
    expect(left.map(({ _id, content }) => [_id, content])).to.deep.equal([[erased.id, '']]);
    await doAll(deps);
    await stores.refreshSearch();
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
    deny(guild.id, channel.id, 0n);
    await syncAgain(deps);
    await doAll(deps);
    const expected = publicState(rig.discord);
    const told = expected[other!.thread.id]!;
    const { [erased.id]: _erased, ...rest } = told.messages;
    told.messages = rest;
    expect(differences(await archivedState(deps), expected)).to.deep.equal([]);
    await stores.refreshSearch();
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  });

  it('counts a server again when its thread that was read last was in a forum that was emptied', async () => {
    const held = holdRemovals(deps);
    await rig.open();
    rig.start({}, held.deps);
    await withTwoForums();
    const { threads } = deps.collections;
    const [newest] = await threads.find().sort({ asOf: -1 }).limit(1).toArray();
    const { serverId, channelId } = newest!;
    const lastSync = async () => {
      const stats = await readBody<ServerStats>(deps.collections, `stats/${serverId}`);
      return new Date(stats!.lastSyncAt).getTime();
    };
    await untilRemoving(channelId, held);
    // This includes what the look has marked.
    await doAll(deps);
    const msOf = (asOf: number) => Math.trunc(realMicros(asOf) / 1_000);
    expect(await lastSync()).to.equal(msOf(newest!.asOf));
    held.release();
    await untilEqual(() => threads.distinct('title', { channelId }), ['thread']);
    await doAll(deps);
    const [left] = await threads.find({ serverId }).sort({ asOf: -1 }).limit(1).toArray();
    expect(left!.channelId).to.not.equal(channelId);
    expect(await lastSync()).to.equal(msOf(left!.asOf));
    await stores.refreshSearch();
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  });

  it('withholds another forum while it removes the messages of one that stays withheld', async () => {
    const held = holdRemovals(deps);
    await rig.open();
    rig.start({}, held.deps);
    const [first, second] = await withTwoForums();
    await untilRemoving(first.channel.id, held);
    deny(second.guild.id, second.channel.id, VIEW_CHANNEL);
    await syncAgain(deps);
    const { channels, threads } = deps.collections;
    expect(await channels.findOne({ _id: second.channel.id })).to.have.property('withheldAt');
    held.release();
    await untilEqual(() => threads.distinct('title', { channelId: first.channel.id }), ['thread']);
  });

  it('removes nothing of a forum that became public again meanwhile', async () => {
    const held = holdRemovals(deps);
    await rig.open();
    rig.start({}, held.deps);
    const [{ guild, channel }] = await withTwoForums();
    await untilRemoving(channel.id, held);
    deny(guild.id, channel.id, 0n);
    await syncAgain(deps);
    held.release();
    await held.removals[0];
    await expectSame();
  });

  it('deletes a forum that the platform says was deleted', async () => {
    await start();
    await untilSynced(deps);
    await doAll(deps);
    const { channel } = rig.discord.model.publicThreads()[0]!;
    rig.discord.model.deleteChannel(channel.id);
    const synced = syncAgain(deps);
    await untilEqual(async () => {
      await doAll(deps);
      return (await deps.collections.channels.findOne({ _id: channel.id }))?.deleted;
    }, true);
    await doAll(deps);
    await synced;
    // No operator can let the bot see it.
    expect(await deps.collections.sync.findOne({ _id: channel.id })).to.equal(null);
    const { messages, threads, threadItems } = deps.collections;
    const ids = await threads.distinct('_id', { channelId: channel.id });
    const said = { threadId: { $in: ids }, content: { $ne: '' } };
    // The sync does not wait for the work that follows from the deletion.
    await untilEqual(() => messages.countDocuments(said), 0);
    await untilEqual(() => threadItems.countDocuments({ channelId: channel.id }), 0);
  });

  it('asks once for a forum that is hidden from the bot, and again only some hours later', async () => {
    await start();
    const [{ guild, channel }] = await withTwoForums();
    deny(guild.id, channel.id, VIEW_CHANNEL);
    await syncAgain(deps);
    await syncAgain(deps);
    expect(questions(channel.id)).to.equal(1);
    await rig.sync.stop();
    rig.start();
    await untilSynced(deps);
    await refusedHoursAgo(channel.id, 5.9);
    await syncAgain(deps);
    expect(questions(channel.id)).to.equal(1);
    await refusedHoursAgo(channel.id, 6.1);
    await syncAgain(deps);
    await syncAgain(deps);
    expect(questions(channel.id)).to.equal(2);
    // The clock was set back.
    await refusedHoursAgo(channel.id, -9_000);
    await rig.sync.stop();
    rig.start();
    await untilSynced(deps);
    expect(questions(channel.id)).to.equal(3);
  });

  it('keeps no digest that confirms who started a thread after that person was erased', async () => {
    await start();
    await untilSynced(deps);
    await doAll(deps);
    const { thread } = rig.discord.model
      .publicThreads()
      .find(({ messages }) => new Set(messages.map(({ authorId }) => authorId)).size > 1)!;
    const guess = await digestOf(thread.id);
    const digests = () => syncOf(deps.collections.sync, 'thread').distinct('digest');
    expect(await digests()).to.include(guess);
    const erasureId = await requestErasure(deps.collections, thread.ownerId);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await digests()).to.not.include(guess);
    await syncAgain(deps, { threadId: thread.id });
    const noted = { _id: thread.id, digest: { $ne: '' } };
    expect(await syncOf(deps.collections.sync, 'thread').findOne(noted)).to.not.equal(null);
    expect(await digests()).to.not.include(guess);
  });

  it('asks once for a forum that was hidden from the bot since the backup from which the archive was restored', async () => {
    await start();
    const [{ guild, channel }] = await withTwoForums();
    await rig.sync.stop();
    await deps.collections.sync.deleteMany({});
    deny(guild.id, channel.id, VIEW_CHANNEL);
    rig.start();
    await untilSynced(deps);
    await syncAgain(deps);
    expect(questions(channel.id)).to.equal(1);
    expect(await syncOf(deps.collections.sync, 'channel').findOne({ _id: channel.id })).to.include({
      serverId: guild.id,
      name: channel.name,
      problem: 'The bot cannot see it',
    });
  });

  it('deletes a forum at once where it was hidden from the bot, shown again, and then deleted', async () => {
    await start();
    const [{ guild, channel }] = await withTwoForums();
    deny(guild.id, channel.id, VIEW_CHANNEL);
    await syncAgain(deps);
    deny(guild.id, channel.id, 0n);
    await syncAgain(deps);
    rig.discord.model.deleteChannel(channel.id);
    await syncAgain(deps);
    expect(questions(channel.id)).to.equal(2);
    expect((await deps.collections.channels.findOne({ _id: channel.id }))?.deleted).to.equal(true);
  });

  it('deletes a forum some hours later where it was deleted while it was hidden from the bot', async () => {
    await start();
    const [{ guild, channel }] = await withTwoForums();
    const { channels } = deps.collections;
    deny(guild.id, channel.id, VIEW_CHANNEL);
    await syncAgain(deps);
    rig.discord.model.deleteChannel(channel.id);
    await syncAgain(deps);
    expect((await channels.findOne({ _id: channel.id }))?.withheldAt).to.be.instanceOf(Date);
    await refusedHoursAgo(channel.id, 6.1);
    await syncAgain(deps);
    expect((await channels.findOne({ _id: channel.id }))?.deleted).to.equal(true);
  });

  it('records webhooks as authors that are no people', async () => {
    await start();
    const { model } = rig.discord;
    const { thread } = model.publicThreads().find((one) => !one.thread.isArchived)!;
    const webhookId = '310000000000000077';
    const webhook = { name: 'Build', avatar: null };
    model.post(thread.id, { authorId: webhookId, content: 'It is green', webhook });
    await untilSynced(deps);
    await doAll(deps);
    const { contributions } = deps.collections;
    expect(await contributions.countDocuments({ userId: webhookId })).to.equal(0);
    const shown = await readBody<ThreadDetail>(deps.collections, `thread/${thread.id}`);
    const said = shown?.messages.find(({ content }) => content === 'It is green');
    expect(said?.author).to.include({ username: 'Build', isBot: true });
  });

  it('records a bot that answers a command as an author', async () => {
    await start();
    const { model } = rig.discord;
    const { thread } = model.publicThreads().find((one) => !one.thread.isArchived)!;
    const command = { id: '310000000000000078', name: 'help', userId: thread.ownerId };
    const { id } = model.post(thread.id, {
      type: 20,
      authorId: model.bot.id,
      content: 'Read the guide',
      command,
    });
    await syncAgain(deps);
    await doAll(deps);
    const { messages, members } = deps.collections;
    expect((await messages.findOne({ _id: id }))?.webhook).to.equal(undefined);
    expect(await members.findOne({ userId: model.bot.id })).to.include({ isBot: true });
  });

  it('stores nothing while the bot may not read what messages say', async () => {
    await start({ messageContent: false });
    const { messages } = deps.collections;
    await until(async () => (await problemNow()) !== null);
    expect(await problemNow()).to.contain('Message Content intent');
    expect(await messages.countDocuments()).to.equal(0);
  });

  it('asks nothing more when the token is refused', async () => {
    await rig.open();
    const { url } = rig.discord;
    rig.sync = startTestSync(deps, stores, { ...rig.discord, url, token: 'reset' });
    await untilEqual(async () => (await problemNow())?.includes('DISCORD_BOT_TOKEN'), true);
    expect(rig.discord.requests).to.have.length(1);
  });
});
