import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { expect } from 'chai';
import { MongoNetworkError } from 'mongodb';
import { WebSocketServer } from 'ws';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import {
  changeReactions,
  type ReactionChange,
} from '../../../services/indexer/gateway/changeReactions.js';
import { createEventRecorder } from '../../../services/indexer/gateway/recordEvents.js';
import type { GatewayEvent } from '../../../services/indexer/gateway/gatewayEvents.js';
import { createGatewaySaver, takeOver } from '../../../services/indexer/gateway/gatewayStore.js';
import { awaitIdentify, wantedIntents } from '../../../services/indexer/gateway/identify.js';
import { listen } from '../../../services/indexer/gateway/listen.js';
import { createListener } from '../../../services/indexer/gateway/listener.js';
import { mapEmoji } from '../../../services/indexer/sources/mapMessage.js';
import { recordThread } from '../../../services/indexer/gateway/recordThread.js';
import { createLiveClock } from '../../../services/indexer/stores/liveClock.js';
import { fetchThread } from '../../../services/indexer/sync/fetchThread.js';
import { loadServer } from '../../../services/indexer/sync/loadServer.js';
import { noteThreads } from '../../../services/indexer/sync/noteThreads.js';
import { putReadAgain, readsOfReadAgain } from '../../../services/indexer/sync/readMessages.js';
import { removeDeletedMessages } from '../../../services/indexer/sync/removeDeleted.js';
import { suspendServer } from '../../../services/indexer/sync/suspend.js';
import { readOnceMore } from '../../../services/indexer/sync/repairThreads.js';
import type { SyncDeps } from '../../../services/indexer/sync/syncDeps.js';
import type { PlatformClient } from '../../../shared/discordApi/platformClient.js';
import { PlatformAway, PlatformRefused } from '../../../shared/discordApi/platformErrors.js';
import { REDACTED } from '../../../shared/store/redacted.js';
import { liveTime } from '../../../shared/store/sourceTime.js';
import { memberId } from '../../../shared/store/optOuts.js';
import { stateOf, type GatewaySession } from '../../../shared/store/state.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import { until, untilEqual } from '../../support/apiServer.js';
import { gatewayState } from '../../support/syncRig.js';
import {
  anAnsweredServer,
  answeringPlatform,
  hide,
  syncDeps,
} from '../../support/answeringPlatform.js';
import { aMessage, anId, aThread } from '../../support/factories.js';
import { doAll } from '../../support/indexerDeps.js';
import { aLiveMessage, aLiveThread } from '../../support/liveAnswers.js';
import { indexerSuite } from '../../support/suiteStores.js';

/** More characters than may wait. */
const TOO_MUCH = 17 << 20;

describe('the recorder of events', () => {
  const { deps } = indexerSuite('emptied');

  it('makes the sync read a server from its beginning that the bot has left and joined again before any look', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const clock = createLiveClock(deps.collections.state);
    const own = syncDeps(deps, answeringPlatform([one]).platform, { clock });
    const server = await loadServer(own, serverId);
    const thread = aLiveThread({ guild_id: serverId, parent_id: one.channels[0]!.id });
    await noteThreads(own, server, { threads: [thread], asOf: server.asOf });
    const place = { serverId, channelId: one.channels[0]!.id, threadId: thread.id };
    await deps.commit({
      reads: readsOfReadAgain([thread.id]),
      decide: (documents) => putReadAgain(documents, { ...place, messageId: thread.id }),
    });
    const noted = { kind: { $in: ['thread' as const, 'message' as const] }, serverId };
    const known = () => deps.collections.sync.countDocuments(noted);
    expect(await known()).to.equal(2);
    const recorder = createEventRecorder(own);
    const events: GatewayEvent[] = [
      { kind: 'left', serverId },
      { kind: 'heard', serverId },
    ];
    for (const event of events) recorder.take(event, 1, () => undefined);
    await recorder.end();
    expect(await known()).to.equal(0);
    expect([...own.servers.get(serverId)!.channels.keys()]).to.deep.equal([one.channels[0]!.id]);
    const found = await syncOf(deps.collections.sync, 'server').findOne({ _id: serverId });
    expect(found?.problem).to.equal(null);
    const asked = await syncOf(deps.collections.sync, 'request').distinct('_id');
    expect(asked).to.include(`server/${serverId}`);
  });

  /** A recorded thread whose first message says "Hello", and a recorder of its server's events. */
  async function withThread(more: Partial<IndexerDeps> = {}) {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const clock = createLiveClock(deps.collections.state);
    const own = { ...syncDeps(deps, answeringPlatform([one]).platform, { clock }), ...more };
    const server = await loadServer(own, serverId);
    const aThread = async () => {
      const thread = aLiveThread({ guild_id: serverId, parent_id: one.channels[0]!.id });
      await noteThreads(own, server, { threads: [thread], asOf: server.asOf });
      return thread.id;
    };
    const threadId = await aThread();
    const said = (id: string, content: string, place = threadId): GatewayEvent => {
      const message = aLiveMessage({ id, channel_id: place, content });
      return { kind: 'message', serverId, threadId: place, message };
    };
    const recorder = createEventRecorder(own);
    const record = (event: GatewayEvent) =>
      new Promise<void>((resolve) => recorder.take(event, 1, resolve));
    await record(said(threadId, 'Hello'));
    return { one, own, recorder, record, serverId, threadId, aThread, said };
  }
  /** Makes a recorder whose changes are held up while `isTime` returns true, until `release` is called. */
  function holdUp(own: SyncDeps, isTime: () => boolean) {
    let isHeld = false;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const late = createEventRecorder({
      ...own,
      async commit(change) {
        isHeld = isTime();
        if (isHeld) await released;
        return deps.commit(change);
      },
    });
    return { late, isHeld: () => isHeld, release };
  }
  const contentOf = async (_id: string) =>
    (await deps.collections.messages.findOne({ _id }))?.content;

  it('makes the sync read a thread again whose events wait while others of its server are missed', async () => {
    let release = (): void => undefined;
    let isLooking = false;
    const { own, recorder, said, serverId, threadId } = await withThread();
    await recorder.end();
    const threads = syncOf(deps.collections.sync, 'thread');
    const known = () => threads.findOne({ _id: threadId });
    /** Reads the thread. The platform tells no message. */
    const read = async () => {
      await readOnceMore(own, threadId);
      await fetchThread(own, (await known())!);
      expect(await known()).to.have.property('readAt');
    };
    await read();
    const get: PlatformClient['get'] = async (request, signal) => {
      if (request.route === 'guild' && !isLooking) {
        isLooking = true;
        await new Promise<void>((resolve) => (release = resolve));
      }
      return own.platform.get(request, signal);
    };
    let timed = 0;
    const clock = {
      ...own.clock,
      async take() {
        const asOf = await own.clock.take();
        timed += 1;
        return asOf;
      },
    };
    const late = createEventRecorder({ ...own, clock, platform: { get } });
    const take = (event: GatewayEvent) => late.take(event, 1, () => undefined);
    take({ kind: 'rules', serverId });
    await until(() => isLooking);
    const messageId = anId();
    // It is deleted while no events come.
    take(said(messageId, 'Deleted unheard'));
    take({ kind: 'heard', serverId });
    await until(() => timed === 3);
    await read();
    release();
    await late.end();
    expect(await contentOf(messageId)).to.equal('Deleted unheard');
    expect(await known()).to.include({ todo: 'all', after: '0' });
  });

  it('makes the sync read a thread again where an event of it is recorded after the bot has gained access', async () => {
    const { one, own, recorder, said, serverId, threadId } = await withThread();
    await recorder.end();
    let recorded = 0;
    const { late, isHeld, release } = holdUp(own, () => recorded === 100);
    const take = (event: GatewayEvent) => late.take(event, 1, () => undefined);
    const messageId = anId();
    own.servers.delete(serverId);
    // As many as are recorded together, and one more. That one is deleted while the bot may not see the forum.
    for (let at = 0; at < 100; at += 1)
      late.take(said(threadId, `Said ${at}`), 1, () => void (recorded += 1));
    take(said(messageId, 'Deleted unheard'));
    take({ kind: 'gained', serverId });
    await until(isHeld);
    const { sync } = deps.collections;
    await until(async () => (await sync.countDocuments({ _id: `server/${serverId}` })) > 0);
    const server = own.servers.get(serverId)!;
    const { id: channelId } = one.channels[0]!;
    const thread = aLiveThread({ id: threadId, guild_id: serverId, parent_id: channelId });
    const asOf = await own.clock.take();
    await noteThreads(own, server, { threads: [thread], asOf });
    const threads = syncOf(sync, 'thread');
    await fetchThread(own, (await threads.findOne({ _id: threadId }))!);
    expect(await threads.findOne({ _id: threadId })).to.not.have.property('todo');
    release();
    await late.end();
    expect(await contentOf(messageId)).to.equal('Deleted unheard');
    expect(await threads.findOne({ _id: threadId })).to.include({ todo: 'all' });
  });

  it('counts the end of an outage as recorded when all threads are noted that it has read again', async () => {
    const { own, recorder, said, serverId, threadId } = await withThread();
    await recorder.end();
    const { servers } = own;
    const recorded: string[] = [];
    // More events wait than are recorded together. So the thread is noted after a second commit.
    const { late, isHeld, release } = holdUp(own, () => recorded.includes('message 99'));
    const take = (event: GatewayEvent, name: string) =>
      late.take(event, 1, () => recorded.push(name));
    servers.delete(serverId);
    for (let at = 0; at < 101; at += 1) take(said(anId(), `Said ${at}`), `message ${at}`);
    take({ kind: 'heard', serverId }, 'heard');
    await until(isHeld);
    const requests = syncOf(deps.collections.sync, 'request');
    await until(async () => (await requests.countDocuments({ _id: `server/${serverId}` })) === 1);
    expect(recorded).to.not.include('heard');
    release();
    await late.end();
    expect(recorded.at(-1)).to.equal('heard');
    expect(await syncOf(deps.collections.sync, 'thread').findOne({ _id: threadId })).to.include({
      todo: 'all',
    });
  });

  it('records events that came while MongoDB was away, and counts them as recorded only then', async () => {
    let isAway = false;
    let tries = 0;
    const { record, recorder, said, threadId } = await withThread({
      commit(change) {
        if (!isAway) return deps.commit(change);
        tries += 1;
        return Promise.reject(new MongoNetworkError('It is away'));
      },
    });
    isAway = true;
    let isRecorded = false;
    const recording = record(said(threadId, 'Edited')).then(() => (isRecorded = true));
    await until(() => tries > 0);
    expect(isRecorded).to.equal(false);
    isAway = false;
    await recording;
    expect(await contentOf(threadId)).to.equal('Edited');
    await recorder.end();
  });

  it('gives events later times the later they came, also where MongoDB was away for the first', async () => {
    const { own, recorder, said, threadId } = await withThread();
    await recorder.end();
    let isAway = true;
    const take: SyncDeps['clock']['take'] = () => {
      if (!isAway) return own.clock.take();
      isAway = false;
      return Promise.reject(new MongoNetworkError('It is away'));
    };
    const late = createEventRecorder({ ...own, clock: { ...own.clock, take } });
    const record = (content: string) =>
      new Promise<void>((resolve) => late.take(said(threadId, content), 1, resolve));
    await Promise.all([record('Edited'), record('Edited again')]);
    await late.end();
    expect(await contentOf(threadId)).to.equal('Edited again');
  });

  it('keeps a message deleted whose deletion came before it was recorded', async () => {
    const { record, recorder, said, serverId, threadId } = await withThread();
    const late = anId();
    await record({ kind: 'messagesDeleted', serverId, threadId, messageIds: [late] });
    await record(said(late, 'Late'));
    await recorder.end();
    expect(await contentOf(late)).to.equal('');
  });

  it('deletes no message of another thread', async () => {
    const { own, record, recorder, serverId, threadId, aThread } = await withThread();
    const other = await aThread();
    await record({ kind: 'messagesDeleted', serverId, threadId: other, messageIds: [threadId] });
    // Nor of the same thread, where it is recorded as one of another server.
    const elsewhere = { ...own.servers.get(serverId)!, serverId: anId() };
    own.servers.set(elsewhere.serverId, elsewhere);
    const { serverId: otherId } = elsewhere;
    await record({ kind: 'messagesDeleted', serverId: otherId, threadId, messageIds: [threadId] });
    await recorder.end();
    expect(await contentOf(threadId)).to.equal('Hello');
  });

  it('does all marks of a deletion at once where the first message is gone', async () => {
    const { own, record, recorder, said, threadId } = await withThread();
    const answer = anId();
    await record(said(answer, 'More'));
    await recorder.end();
    const kinds: string[] = [];
    const removals: SyncDeps['removals'] = {
      ...own.removals,
      add(recorded, kind = 'all' as never) {
        if (recorded) kinds.push(kind);
      },
    };
    // A message that is not recorded may be forwarded by one that is.
    for (const id of [answer, anId(), threadId])
      await removeDeletedMessages({ ...own, removals }, { threadId }, [id]);
    expect(kinds).to.deep.equal(['thread', 'thread', 'all']);
  });

  it('frees the claim of a thread where it was stopped before everything was recorded', async () => {
    const stopped = new AbortController();
    const { recorder, said, threadId, own } = await withThread();
    await recorder.end();
    await doAll(deps);
    const commit: IndexerDeps['commit'] = async (change) => {
      const outcome = await deps.commit(change);
      if (change.reads.messages) stopped.abort();
      stopped.signal.throwIfAborted();
      return outcome;
    };
    const ending = createEventRecorder({ ...own, commit, signal: stopped.signal });
    ending.take(said(threadId, 'Edited'), 1, () => undefined);
    await ending.end();
    const mark = await deps.collections.work.findOne({ kind: 'thread', subject: threadId });
    expect(mark).to.be.an('object').and.not.have.property('claim');
  });

  it('makes the sync read a thread once more where one of its events cannot be recorded', async () => {
    const { record, recorder, said, threadId, aThread } = await withThread();
    const other = await aThread();
    await record(said(threadId, 'Told in another thread', other));
    await recorder.end();
    expect(await contentOf(threadId)).to.equal('Hello');
    const again = await syncOf(deps.collections.sync, 'thread').findOne({ _id: other });
    expect(again).to.include({ todo: 'all' });
  });

  it('makes the sync read a message again where an event tells only a part of it', async () => {
    const { record, recorder, serverId, threadId } = await withThread();
    const messages = syncOf(deps.collections.sync, 'message');
    await record({ kind: 'changed', serverId, threadId, messageId: threadId });
    const asked = await messages.findOne({ kind: 'message' });
    expect(asked).to.include({ messageId: threadId, threadId, serverId });
    // Further events do not put it off.
    const dueAt = new Date(asked!.dueAt.getTime() - 1_000);
    await messages.updateMany({}, { $set: { dueAt } });
    await record({ kind: 'changed', serverId, threadId, messageId: threadId });
    await recorder.end();
    expect((await messages.findOne({ kind: 'message' }))?.dueAt).to.deep.equal(dueAt);
  });

  it('does not count a thread as read that was read before an outage of its server ended', async () => {
    const { own, record, recorder, serverId, threadId, aThread } = await withThread();
    const underWay = await aThread();
    const threads = syncOf(deps.collections.sync, 'thread');
    const readAt = new Date();
    own.listening.since = new Date(readAt.getTime() - 1_000);
    await threads.updateOne({ _id: threadId }, { $set: { readAt }, $unset: { todo: '' } });
    const before = (await threads.findOne({ _id: underWay }))!;
    await record({ kind: 'heard', serverId });
    // Its last page was asked for before the outage ended.
    await fetchThread(own, before);
    await recorder.end();
    const read = await threads.distinct('_id', { readAt: { $exists: true } });
    expect(read).to.deep.equal([]);
  });

  it('makes the sync read only those forums again that the bot may see again', async () => {
    const { record, recorder, serverId, threadId } = await withThread();
    await record({ kind: 'gained', serverId, channelIds: [anId()] });
    expect(await deps.collections.sync.findOne({ _id: threadId })).to.be.an('object');
    const asked = await syncOf(deps.collections.sync, 'request').distinct('_id');
    expect(asked).to.include(`server/${serverId}`);
    await record({ kind: 'gained', serverId });
    await recorder.end();
    expect(await deps.collections.sync.findOne({ _id: threadId })).to.equal(null);
  });

  it('records no reaction in a forum that is not archived any more', async () => {
    const { own, record, recorder, serverId, threadId } = await withThread();
    own.servers.get(serverId)!.channels.clear();
    const change = {
      kind: 'added' as const,
      emoji: mapEmoji({ id: null, name: '👍', isAnimated: false }),
    };
    await record({ kind: 'reacted', serverId, threadId, messageId: threadId, change });
    await recorder.end();
    const message = await deps.collections.messages.findOne({ _id: threadId });
    expect(message?.reactions).to.deep.equal([]);
    expect(await deps.collections.sync.countDocuments({ kind: 'message' })).to.equal(0);
  });

  for (const kind of ['heard', 'gained'] as const)
    it(`records nothing that is said in a forum that was hidden while no events came: ${kind}`, async () => {
      const { one, own, recorder, said, serverId, threadId } = await withThread();
      await recorder.end();
      hide(one, one.channels[0]!);
      const later = createEventRecorder(own);
      for (const event of [{ kind, serverId }, said(threadId, 'A secret')])
        later.take(event, 1, () => undefined);
      await later.end();
      expect(await contentOf(threadId)).to.equal('Hello');
    });

  it('counts each reaction by itself, and names nobody who may have taken theirs back', async () => {
    const place = { serverId: anId(), channelId: anId(), threadId: anId(), owner: 'owner' };
    const [thumb, heart] = ['👍', '❤'].map((name) =>
      mapEmoji({ id: null, name, isAnimated: false }),
    );
    const own = (name: string) => mapEmoji({ id: '1200000000000000001', name, isAnimated: false });
    const message = aMessage({
      threadId: place.threadId,
      reactions: [{ emoji: thumb!, count: 3, userIds: ['6', '7', '8'] }],
    });
    const { _id: messageId } = message;
    const { messages, sync } = deps.collections;
    await messages.insertOne(message);
    let asOf = liveTime(Date.now() * 1_000);
    const after = async (...changes: ReactionChange[]) => {
      const told = changes.map((change) => ({ messageId, change, asOf: (asOf += 1) }));
      await changeReactions(deps, place, told);
      const { reactions, partsAsOf } = (await messages.findOne({ _id: messageId }))!;
      expect(partsAsOf?.reactions).to.equal(asOf);
      return reactions.map(({ emoji, count, userIds }) => [emoji.name, count, ...userIds]);
    };
    const took = (emoji: typeof thumb, userId: string): ReactionChange => ({
      kind: 'removed',
      emoji: emoji!,
      userId,
    });
    const gave = (emoji: typeof thumb): ReactionChange => ({ kind: 'added', emoji: emoji! });
    expect(await after(gave(heart), took(thumb, '7'))).to.deep.equal([
      ['👍', 2, '6', '8'],
      ['❤', 1],
    ]);
    expect(await after(took(heart, '9'), took(thumb, '9'))).to.deep.equal([['👍', 1]]);
    // A custom emoji may have another name now.
    const renamed = [gave(own('tea')), gave(own('tee'))];
    expect(await after(...renamed)).to.deep.include(['tea', 2]);
    expect(await after({ kind: 'emojiCleared', emoji: thumb! })).to.deep.equal([['tea', 2]]);
    await messages.updateOne({ _id: messageId }, { $set: REDACTED });
    await sync.deleteMany({});
    await changeReactions(deps, place, [{ messageId, change: gave(heart), asOf: asOf + 1 }]);
    expect((await messages.findOne({ _id: messageId }))?.reactions).to.deep.equal([]);
    expect(await sync.countDocuments()).to.equal(0);
  });

  it('requests a list of everything where an event cannot be read', async () => {
    const { own, recorder } = await withThread();
    await recorder.end();
    const listener = createListener(own, { session: null, takenAt: 1 });
    const pauses: boolean[] = [];
    const ended = new Promise<never>(() => undefined);
    listener.attach({ ended, setPaused: (isPaused) => void pauses.push(isPaused) }, 0);
    listener.take({ type: 'MESSAGE_CREATE', seq: 2, data: { id: 'none' } }, TOO_MUCH);
    await listener.end();
    const asked = await syncOf(deps.collections.sync, 'request').distinct('_id');
    expect(asked).to.include('all');
    // While so much waits, nothing more is read.
    expect(pauses).to.deep.equal([false, true, false]);
  });

  it('tells whether events come, and why not, and since when they have told everything', async () => {
    const { own, recorder } = await withThread();
    await recorder.end();
    await takeOver(deps.collections, 1);
    const listener = createListener(own, { session: null, takenAt: 1 });
    const socket = { ended: new Promise<never>(() => undefined), setPaused: () => undefined };
    const told = async () => {
      const state = await gatewayState(deps);
      const { connectedAt, lastEventAt, problem } = state!;
      return [connectedAt !== null, lastEventAt !== null, problem];
    };
    const untilTold = (...expected: unknown[]) =>
      untilEqual(async () => JSON.stringify(await told()), JSON.stringify(expected));
    listener.note('No route');
    await untilTold(false, false, 'No route');
    listener.attach(socket, 1);
    const user = { id: anId() };
    const ready = { session_id: 'S', resume_gateway_url: 'wss://a.example', user };
    listener.take({ type: 'READY', seq: 1, data: ready }, 1);
    expect(own.listening.since).to.equal(listener.session!.since);
    await untilTold(true, true, null);
    listener.detach();
    listener.note('Again');
    await untilTold(false, true, 'Again');
    listener.attach(socket, 1);
    listener.take({ type: 'RESUMED', seq: 2, data: {} }, 1);
    await untilTold(true, true, null);
    listener.detach();
    listener.dropSession();
    expect(own.listening.since).to.equal(null);
    await untilTold(false, true, null);
    await listener.end();
    expect((await gatewayState(deps))!.session).to.equal(null);
  });

  it('records events of a new thread that come together: its last title, and what is said in it', async () => {
    const { own, recorder, serverId } = await withThread();
    await recorder.end();
    const channelId = [...own.servers.get(serverId)!.channels.keys()][0]!;
    const { id: threadId } = aLiveThread();
    const titled = (name: string) => {
      const thread = aLiveThread({ id: threadId, parent_id: channelId, name });
      return {
        kind: 'thread' as const,
        serverId,
        threadId,
        thread: { ...thread, guild_id: serverId },
      };
    };
    const message = aLiveMessage({ id: threadId, channel_id: threadId, content: 'First' });
    const said = { kind: 'message' as const, serverId, threadId, message };
    const events = [];
    for (const event of [titled('A title'), titled('Another title'), said]) {
      events.push({ event, asOf: await own.clock.take() });
    }
    await recordThread(own, { threadId, serverId, owner: 'owner' }, events);
    expect(await deps.collections.threads.findOne({ _id: threadId })).to.include({
      title: 'Another title',
    });
    expect(await contentOf(threadId)).to.equal('First');
  });

  /**
   * Records a thread, then what lists and events tell of it, in this order. Each tells whether the thread is locked, and
   * how many messages it has. Resolves with whether it is recorded as locked.
   */
  async function isLockedAfter(
    told: readonly { by: 'list' | 'event'; asOf: number; isLocked: boolean; messages?: number }[],
  ): Promise<boolean | undefined> {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const own = syncDeps(deps, answeringPlatform([one]).platform);
    const server = await loadServer(own, serverId);
    const first = aLiveThread({ guild_id: serverId, parent_id: one.channels[0]!.id });
    const threadId = first.id;
    for (const { by, asOf: since, isLocked: locked, messages = 0 } of told) {
      const asOf = server.asOf + since;
      const thread = {
        ...first,
        guild_id: serverId,
        thread_metadata: { ...first.thread_metadata, locked },
        message_count: messages,
        total_message_sent: messages,
      };
      if (by === 'list') await noteThreads(own, server, { threads: [thread], asOf });
      else {
        const place = { threadId, serverId, owner: 'owner' };
        await recordThread(own, place, [{ event: { kind: 'thread', thread }, asOf }]);
      }
    }
    return (await deps.collections.threads.findOne({ _id: threadId }))?.locked;
  }

  it('keeps what a list tells of a thread, although events of earlier changes come late', async () => {
    const isLocked = await isLockedAfter([
      { by: 'list', asOf: 1, isLocked: true },
      { by: 'list', asOf: 4, isLocked: true, messages: 1 },
      { by: 'event', asOf: 2, isLocked: false },
      { by: 'event', asOf: 3, isLocked: true },
    ]);
    expect(isLocked).to.equal(true);
  });

  it('keeps what an event tells of a thread, although a list of an earlier moment comes late', async () => {
    const isLocked = await isLockedAfter([
      { by: 'list', asOf: 1, isLocked: true },
      { by: 'event', asOf: 3, isLocked: true },
      { by: 'list', asOf: 2, isLocked: false },
    ]);
    expect(isLocked).to.equal(true);
  });

  it('holds the events of a server until the platform can be asked about it', async () => {
    const { own, recorder, said, threadId, serverId } = await withThread();
    await recorder.end();
    own.servers.delete(serverId);
    let tries = 0;
    const get: PlatformClient['get'] = (request, signal) => {
      tries += 1;
      if (tries === 1) return Promise.reject(new PlatformAway('It is away'));
      return own.platform.get(request, signal);
    };
    const later = createEventRecorder({ ...own, platform: { get } });
    await new Promise<void>((resolve) => later.take(said(threadId, 'Edited'), 1, resolve));
    await later.end();
    expect(await contentOf(threadId)).to.equal('Edited');
  });

  describe('with a session that was begun before', () => {
    /** Listens with a session at a gateway address, and reports what is asked for. */
    async function listenTo(url: string, isPlain: boolean, more: Partial<SyncDeps> = {}) {
      const asked: string[] = [];
      const { platform } = answeringPlatform([], {
        before({ route }) {
          asked.push(route);
          return route === 'gateway' ? Promise.reject(new PlatformAway('No')) : Promise.resolve();
        },
      });
      const stopped = new AbortController();
      const clock = createLiveClock(deps.collections.state);
      const own = syncDeps(deps, platform, { clock, signal: stopped.signal, ...more });
      const intents = await wantedIntents(own);
      asked.length = 0;
      await stateOf(deps.collections.state, 'gateway').insertOne({
        _id: 'gateway',
        connectedAt: null,
        lastEventAt: null,
        waiting: 0,
        problem: null,
        session: { id: 'S', url, botId: '9', intents, seq: 1, since: new Date() },
      });
      const listening = listen(own, { token: 'T', isPlain, problem: null });
      const end = () => {
        stopped.abort();
        return listening;
      };
      return { asked, end };
    }

    const aSession = (id: string, seq: number): GatewaySession => ({
      id,
      seq,
      url: 'wss://a.example',
      botId: '9',
      intents: 1,
      since: new Date(0),
    });
    /** A process that took the state over at a time, and stores the state of its session. */
    const saver = (takenAt: number, session: GatewaySession | null, own = deps.collections) =>
      createGatewaySaver(own, takenAt, () => ({
        session,
        connectedAt: null,
        lastEventAt: null,
        waiting: 0,
        problem: null,
      }));
    const save = async (takenAt: number, session: GatewaySession | null) => {
      const saving = saver(takenAt, session);
      saving.touch();
      await saving.end();
      return (await gatewayState(deps))?.session;
    };

    it('is not changed by a process from which another one has taken it over', async () => {
      expect(await takeOver(deps.collections, 1)).to.equal(null);
      expect(await save(1, aSession('S', 5))).to.include({ id: 'S', seq: 5 });
      expect(await takeOver(deps.collections, 2)).to.include({ id: 'S', seq: 5 });
      expect(await save(2, aSession('S', 9))).to.include({ id: 'S', seq: 9 });
      // The earlier process has recorded less, or was told that the session has ended, or has begun another one.
      for (const late of [aSession('S', 7), null, aSession('T', 1)])
        expect(await save(1, late)).to.include({ id: 'S', seq: 9 });
      expect(await takeOver(deps.collections, 1).catch(String)).to.include('duplicate key');
      expect(await save(2, aSession('S', 20))).to.include({ id: 'S', seq: 20 });
    });

    it('is stored once MongoDB is back', async () => {
      await takeOver(deps.collections, 1);
      const { state } = deps.collections;
      let tries = 0;
      const flaky = Object.create(state, {
        updateOne: {
          value(...change: Parameters<typeof state.updateOne>) {
            tries += 1;
            return tries === 1 ? Promise.reject(new Error('away')) : state.updateOne(...change);
          },
        },
      }) as typeof state;
      const saving = saver(1, aSession('S', 9), { ...deps.collections, state: flaky });
      saving.touch();
      await until(async () => (await gatewayState(deps))?.session?.seq === 9);
      await saving.end();
    });

    it('does not send the token to an address without encryption', async () => {
      const { end } = await listenTo('ws://127.0.0.1:9', false);
      await until(async () => {
        const { problem } = (await gatewayState(deps)) ?? {};
        return problem === 'The gateway has no address of a web socket';
      });
      await end();
    });

    it('begins another session when it could not be resumed for five minutes', async () => {
      const { asked, end } = await listenTo('ws://127.0.0.1:9', true);
      await until(() => asked.length > 0);
      const now = performance.now.bind(performance);
      const later = mock.method(performance, 'now', () => now() + 6 * 60_000);
      await until(() => asked.includes('gateway'));
      later.mock.restore();
      await end();
    });

    it('counts no connection as failed that has lasted', async () => {
      const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
      await once(server, 'listening');
      let aheadMs = 0;
      let connections = 0;
      let reached: () => void;
      // The clock jumps ahead, so nothing can be waited for by it.
      const fourth = new Promise<void>((resolve) => (reached = resolve));
      server.on('connection', (socket) => {
        connections += 1;
        if (connections === 4) reached();
        socket.on('message', () => {
          aheadMs += 61_000;
          socket.send(JSON.stringify({ op: 0, t: 'RESUMED', s: 2, d: {} }));
          socket.close(4_000);
        });
        socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 300_000 } }));
      });
      const now = performance.now.bind(performance);
      const later = mock.method(performance, 'now', () => now() + aheadMs);
      const warned: unknown[] = [];
      const logger = { ...deps.logger, warn: (problem: unknown) => void warned.push(problem) };
      const { port } = server.address() as AddressInfo;
      const { end } = await listenTo(`ws://127.0.0.1:${port}`, true, {
        logger: logger as unknown as SyncDeps['logger'],
      });
      await fourth;
      await end();
      later.mock.restore();
      server.close();
      expect(warned).to.deep.equal([]);
    });
  });

  it('leaves somebody out by an event that comes before its server was looked at', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const role = { id: anId(), name: 'No archive', permissions: '0' };
    one.guild.roles.push(role);
    const clock = createLiveClock(deps.collections.state);
    const { platform } = answeringPlatform([one]);
    const recorder = createEventRecorder(
      syncDeps(deps, platform, { clock, optOutEntries: [role.name] }),
    );
    const { id: serverId } = one.guild;
    const roleIds = [role.id];
    recorder.take({ kind: 'member', serverId, userId: anId(), roleIds }, 1, () => undefined);
    await recorder.end();
    expect(await deps.collections.optOuts.countDocuments()).to.equal(1);
  });

  it('records no message where the bot is removed from the server while the roles of its author are asked for', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const role = { id: anId(), name: 'No archive', permissions: '0' };
    one.guild.roles.push(role);
    let isLooked = false;
    const { platform } = answeringPlatform([one], {
      async before({ route }) {
        if (route === 'member' && isLooked) await suspendServer(own, serverId, 'It is gone');
      },
    });
    const own = syncDeps(deps, platform, { optOutEntries: [role.name] });
    const server = await loadServer(own, serverId);
    const thread = aLiveThread({ guild_id: serverId, parent_id: one.channels[0]!.id });
    await noteThreads(own, server, { threads: [thread], asOf: server.asOf });
    isLooked = true;
    const message = aLiveMessage({ channel_id: thread.id });
    const event = { kind: 'message' as const, message };
    const place = { serverId, threadId: thread.id, owner: 'owner' };
    await recordThread(own, place, [{ event, asOf: server.asOf + 1 }]);
    expect(await deps.collections.messages.countDocuments()).to.equal(0);
  });

  it('asks again for the roles of an author that were told while the bot was away from the server', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const role = { id: anId(), name: 'No archive', permissions: '0' };
    one.guild.roles.push(role);
    const messages = [aLiveMessage(), aLiveMessage()];
    const [first, second] = messages.map(({ author }) => author.id) as [string, string];
    let times = 0;
    const { platform } = answeringPlatform([one], {
      async before({ path }) {
        if (path.endsWith(first) && (times += 1) === 1) {
          await suspendServer(own, serverId, 'It is gone');
        }
        if (!path.endsWith(second)) return;
        await own.turns(memberId(serverId, first), () => Promise.resolve());
        await loadServer(own, serverId);
      },
    });
    const own = syncDeps(deps, platform, { optOutEntries: [role.name] });
    const server = await loadServer(own, serverId);
    const thread = aLiveThread({ guild_id: serverId, parent_id: one.channels[0]!.id });
    await noteThreads(own, server, { threads: [thread], asOf: server.asOf });
    const place = { serverId, threadId: thread.id, owner: 'owner' };
    const told = messages.map((message) => ({
      event: { kind: 'message' as const, message: { ...message, channel_id: thread.id } },
      asOf: server.asOf + 1,
    }));
    await recordThread(own, place, told);
    expect(await deps.collections.messages.countDocuments()).to.equal(2);
    expect(own.members.has(memberId(serverId, first))).to.equal(true);
  });

  it('looks once more at a server that has changed since a look began', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const clock = createLiveClock(deps.collections.state);
    const event: GatewayEvent = { kind: 'rules', serverId: one.guild.id };
    let isHidden = false;
    const { platform } = answeringPlatform([one], {
      async before({ route }) {
        // The look has read the forums by then.
        if (route !== 'me' || isHidden) return;
        isHidden = true;
        hide(one, one.channels[0]!);
        recorder.take(event, 1, () => undefined);
        await clock.take();
      },
    });
    const own = syncDeps(deps, platform, { clock });
    const recorder = createEventRecorder(own);
    recorder.take(event, 1, () => undefined);
    await recorder.end();
    expect(own.servers.get(one.guild.id)?.channels.size).to.equal(0);
    expect(await deps.collections.channels.findOne()).to.have.property('withheldAt');
  });

  it('looks once more for a role that was changed back while a look was under way', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const role = { id: anId(), name: 'Helpers', permissions: '0' };
    one.guild.roles.push(role);
    const clock = createLiveClock(deps.collections.state);
    const told = (permissions: string): GatewayEvent => {
      role.permissions = permissions;
      return { kind: 'role', serverId, role: { ...role } };
    };
    let isChanged = false;
    const { platform } = answeringPlatform([one], {
      async before({ route }) {
        // The look has read the roles by then.
        if (route !== 'me' || !isChanged) return;
        isChanged = false;
        recorder.take(told('0'), 1, () => undefined);
        await clock.take();
      },
    });
    const own = syncDeps(deps, platform, { clock });
    const recorder = createEventRecorder(own);
    await loadServer(own, serverId);
    isChanged = true;
    recorder.take(told('8'), 1, () => undefined);
    await recorder.end();
    expect(own.servers.get(serverId)?.roles.get(role.id)?.permissions).to.equal('0');
  });

  it('does not look at a server where a role is as the last look found it', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId, roles } = one.guild;
    const clock = createLiveClock(deps.collections.state);
    const { platform, asked } = answeringPlatform([one]);
    const own = syncDeps(deps, platform, { clock });
    await loadServer(own, serverId);
    asked.length = 0;
    const recorder = createEventRecorder(own);
    recorder.take({ kind: 'role', serverId, role: { ...roles[0]! } }, 1, () => undefined);
    await recorder.end();
    expect(asked).to.deep.equal([]);
  });

  it('looks once at a server that it may not see, and drops its events, however many come', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    let looks = 0;
    const get = () => {
      looks += 1;
      return Promise.reject(new PlatformRefused('Missing Access', 403, 50_001));
    };
    const clock = createLiveClock(deps.collections.state);
    const recorder = createEventRecorder(syncDeps(deps, { get }, { clock }));
    const archived = aThread({ serverId });
    await deps.collections.threads.insertOne(archived);
    for (const threadId of [anId(), archived._id, anId()]) {
      const message = aLiveMessage({ content: 'Hello' });
      const event: GatewayEvent = { kind: 'message', serverId, threadId, message };
      await new Promise<void>((resolve) => recorder.take(event, 1, resolve));
    }
    await recorder.end();
    expect(looks).to.equal(1);
    expect(await deps.collections.messages.countDocuments()).to.equal(0);
  });

  it('records that the bot has left a server, after a look that was under way', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const clock = createLiveClock(deps.collections.state);
    const { platform } = answeringPlatform([one], {
      async before({ route }) {
        if (route !== 'member') return;
        recorder.take({ kind: 'left', serverId }, 1, () => undefined);
        // It has taken its time by then.
        await clock.take();
      },
    });
    const own = syncDeps(deps, platform, { clock });
    const recorder = createEventRecorder(own);
    await loadServer(own, serverId);
    await recorder.end();
    expect(own.servers.has(serverId)).to.equal(false);
  });

  it('lets one session begin in five seconds, whichever process begins it', async () => {
    const limit = { total: 1_000, remaining: 1_000, reset_after: 0 };
    const value = { url: 'wss://a.example', session_start_limit: limit };
    const { platform } = answeringPlatform([]);
    const identify = (signal: AbortSignal, onAsked: () => void = () => undefined) => {
      const get: PlatformClient['get'] = (request) => {
        if (request.route !== 'gateway') return platform.get(request);
        onAsked();
        return Promise.resolve({ value: value as never, asOf: 1 });
      };
      return awaitIdentify(syncDeps(deps, { get }, { signal })).catch(
        (error: unknown) => (error as Error).name,
      );
    };
    await takeOver(deps.collections, 1);
    const { signal } = new AbortController();
    expect(await identify(signal)).to.include({ url: value.url });
    const stopped = new AbortController();
    expect(await identify(stopped.signal, () => stopped.abort())).to.equal('AbortError');
    // A time of the future is from before the clock was set back.
    for (const ms of [-6_000, 3_600_000]) {
      const last = { $set: { identifiedAt: new Date(Date.now() + ms) } };
      await stateOf(deps.collections.state, 'gateway').updateOne({ _id: 'gateway' }, last);
      expect(await identify(signal)).to.include({ url: value.url });
    }
  });

  it('records at once that the bot is not on a server', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const clock = createLiveClock(deps.collections.state);
    const own = syncDeps(deps, answeringPlatform([one]).platform, { clock });
    await loadServer(own, serverId);
    const recorder = createEventRecorder(own);
    recorder.take({ kind: 'left', serverId }, 1, () => undefined);
    await recorder.end();
    expect(own.servers.has(serverId)).to.equal(false);
    const noted = await syncOf(deps.collections.sync, 'server').findOne({ _id: serverId });
    expect(noted?.problem).to.equal('The bot is not on this server');
  });
});
