import { mock } from 'node:test';
import { expect } from 'chai';
import { MongoNetworkError } from 'mongodb';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { createEventRecorder } from '../../../services/indexer/gateway/recordEvents.js';
import type { GatewayEvent } from '../../../services/indexer/gateway/gatewayEvents.js';
import { wantedIntents } from '../../../services/indexer/gateway/identify.js';
import { listen } from '../../../services/indexer/gateway/listen.js';
import { createListener } from '../../../services/indexer/gateway/listener.js';
import { createLiveClock } from '../../../services/indexer/stores/liveClock.js';
import { loadServer } from '../../../services/indexer/sync/loadServer.js';
import { noteThreads } from '../../../services/indexer/sync/noteThreads.js';
import type { PlatformClient } from '../../../shared/discordApi/platformClient.js';
import { PlatformAway } from '../../../shared/discordApi/platformErrors.js';
import { stateOf } from '../../../shared/store/state.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import { until } from '../../support/apiServer.js';
import { gatewayState } from '../../support/syncRig.js';
import { anAnsweredServer, answeringPlatform, syncDeps } from '../../support/answeringPlatform.js';
import { aLiveMessage, aLiveThread } from '../../support/liveAnswers.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('the recorder of events', () => {
  const { deps } = indexerSuite('emptied');

  it('has a server read from its beginning that the bot has left, and is back on before any look', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const clock = createLiveClock(deps.collections.state);
    const own = syncDeps(deps, answeringPlatform([one]).platform, { clock });
    const server = await loadServer(own, serverId);
    const thread = aLiveThread({ guild_id: serverId, parent_id: one.channels[0]!.id });
    await noteThreads(own, server, { threads: [thread], asOf: server.asOf });
    const known = () => deps.collections.sync.countDocuments({ kind: 'thread', serverId });
    expect(await known()).to.equal(1);
    const recorder = createEventRecorder(own);
    const events: GatewayEvent[] = [
      { kind: 'left', serverId },
      { kind: 'threads', serverId },
    ];
    for (const event of events) recorder.take(event, 1, () => undefined);
    await recorder.end();
    expect(await known()).to.equal(0);
    expect([...own.servers.get(serverId)!.channels.keys()]).to.deep.equal([one.channels[0]!.id]);
    const noted = await syncOf(deps.collections.sync, 'server').findOne({ _id: serverId });
    expect(noted?.problem).to.equal(null);
    const asked = await syncOf(deps.collections.sync, 'request').distinct('_id');
    expect(asked).to.include(`server/${serverId}`);
  });

  /** A recorded thread whose first message says "Hello", and what records events of its server. */
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
    return { own, recorder, record, serverId, threadId, aThread, said };
  }
  const contentOf = async (_id: string) =>
    (await deps.collections.messages.findOne({ _id }))?.content;

  it('records what came while MongoDB was away when it is back, and not as recorded before', async () => {
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

  it('has a thread read once more of which an event cannot be recorded', async () => {
    const { record, recorder, said, threadId, aThread } = await withThread();
    const other = await aThread();
    await record(said(threadId, 'Told in another thread', other));
    await recorder.end();
    expect(await contentOf(threadId)).to.equal('Hello');
    const again = await syncOf(deps.collections.sync, 'thread').findOne({ _id: other });
    expect(again).to.include({ todo: 'all' });
  });

  it('has a message read again of which an event tells a part', async () => {
    const { record, recorder, serverId, threadId } = await withThread();
    await record({ kind: 'changed', serverId, threadId, messageId: threadId });
    await recorder.end();
    const asked = await syncOf(deps.collections.sync, 'message').findOne({ kind: 'message' });
    expect(asked).to.include({ messageId: threadId, threadId, serverId });
  });

  it('has everything listed where an event cannot be read', async () => {
    const { own, recorder } = await withThread();
    await recorder.end();
    const listener = createListener(own, null);
    listener.take({ type: 'MESSAGE_CREATE', seq: 2, data: { id: 'none' } }, 10);
    await listener.end();
    const asked = await syncOf(deps.collections.sync, 'request').distinct('_id');
    expect(asked).to.include('all');
  });

  it('waits with the events of a server until the platform is there to be asked for it', async () => {
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
    /** Listens with a session of a gateway at an address, and tells what is asked for. */
    async function listenTo(url: string, isPlain: boolean) {
      const asked: string[] = [];
      const { platform } = answeringPlatform([], {
        before({ route }) {
          asked.push(route);
          return route === 'gateway' ? Promise.reject(new PlatformAway('No')) : Promise.resolve();
        },
      });
      const stopped = new AbortController();
      const clock = createLiveClock(deps.collections.state);
      const own = syncDeps(deps, platform, { clock, signal: stopped.signal });
      const intents = await wantedIntents(own);
      asked.length = 0;
      await stateOf(deps.collections.state, 'gateway').insertOne({
        ...{ _id: 'gateway', connectedAt: null, lastEventAt: null, waiting: 0, problem: null },
        session: { id: 'S', url, botId: '9', intents, seq: 1, since: new Date() },
      });
      const listening = listen(own, { token: 'T', isPlain, problem: null });
      const end = () => {
        stopped.abort();
        return listening;
      };
      return { asked, end };
    }

    it('sends the token to no address without encryption', async () => {
      const { end } = await listenTo('ws://127.0.0.1:9', false);
      await until(async () => {
        const { problem } = (await gatewayState(deps)) ?? {};
        return problem === 'The gateway has no address of a web socket';
      });
      await end();
    });

    it('begins another when it could not be resumed for five minutes', async () => {
      const { asked, end } = await listenTo('ws://127.0.0.1:9', true);
      await until(() => asked.length > 0);
      const now = performance.now.bind(performance);
      const later = mock.method(performance, 'now', () => now() + 6 * 60_000);
      await until(() => asked.includes('gateway'));
      later.mock.restore();
      await end();
    });
  });

  it('notes at once that the bot is not on a server', async () => {
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
