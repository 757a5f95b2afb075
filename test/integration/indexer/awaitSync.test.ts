import { mock } from 'node:test';
import { expect } from 'chai';
import { awaitSync } from '../../../services/indexer/jobs/awaitSync.js';
import { LookAgain } from '../../../services/indexer/permanentErrors.js';
import { holdLease, releaseLease } from '../../../services/indexer/sync/lease.js';
import { NotSynced } from '../../../services/indexer/sync/syncProblem.js';
import { requestSync } from '../../../shared/store/requestSync.js';
import { stateOf } from '../../../shared/store/state.js';
import { syncState } from '../../../shared/store/syncState.js';
import { NOTHING_FETCHED, syncOf, type SyncThread } from '../../../shared/store/syncRecords.js';
import { until } from '../../support/apiServer.js';
import { anId } from '../../support/factories.js';
import { readsOfEach } from '../../support/readsOfEach.js';
import { syncSuite, untilSynced } from '../../support/syncRig.js';

const MINUTE_MS = 60_000;

describe('waiting for a sync', () => {
  const rig = syncSuite();
  const { stores, deps } = rig;
  afterEach(() => mock.reset());

  const requests = () => syncOf(deps.collections.sync, 'request');
  const look = (requestId: string) => awaitSync(deps, { requestId }, () => undefined);
  const errorOf = (requestId: string) => look(requestId).catch((error: unknown) => error);

  /** A request that was made so long ago (ms). Its lists are read. */
  async function aListedRequest(passedMs = 0): Promise<string> {
    const requestId = await requestSync(deps.collections, {});
    const at = new Date(Date.now() - passedMs);
    await requests().updateOne({ _id: requestId }, { $set: { listed: true, at } });
    return requestId;
  }
  /** Lets somebody speak to the platform, for longer than a test takes. */
  async function serve(): Promise<void> {
    await holdLease(deps.collections, 'somebody');
    const until = new Date(Date.now() + 60 * MINUTE_MS);
    await stateOf(deps.collections.state, 'sync').updateOne({ _id: 'sync' }, { $set: { until } });
  }
  async function aThread(more: Partial<SyncThread>): Promise<void> {
    await syncOf(deps.collections.sync, 'thread').insertOne({
      _id: anId(),
      kind: 'thread',
      serverId: anId(),
      channelId: anId(),
      digest: '',
      asOf: 0,
      messageCount: 1,
      totalSent: 1,
      lastMessageId: null,
      recent: '',
      ...NOTHING_FETCHED,
      ...more,
    });
  }

  beforeEach(() => rig.open({ history: { guilds: 1, forums: 1, threads: 2, messages: 3 } }));

  it('is looked at without reading the threads that are fetched', async () => {
    const { sync } = deps.collections;
    const serverId = anId();
    for (let n = 0; n < 300; n += 1) await aThread({ serverId, fetched: 2 });
    await aThread({ serverId, todo: 'new', token: '1' });
    await aThread({ serverId, problem: 'It cannot be read' });
    await serve();
    const requestId = await aListedRequest();
    const read = await readsOfEach(stores.mongo, sync, async () => {
      expect(await errorOf(requestId)).to.be.instanceOf(LookAgain);
      const state = await syncState(deps.collections);
      expect(state).to.deep.include({ threads: { found: 302, fetched: 301 } });
      expect(state).to.deep.include({ messages: { found: 602, fetched: 600 } });
    });
    expect(Math.max(...read)).to.be.within(1, 10);
  });

  it('ends when each thread is fetched', async () => {
    const requestId = await requestSync(deps.collections, {});
    rig.start();
    await untilSynced(deps);
    const threads = rig.discord.model.publicThreads().length;
    expect(await look(requestId)).to.include({ threads, failed: 0 });
    expect(await requests().findOne({ _id: requestId })).to.equal(null);
  });

  it('ends when the platform gives no answer for some threads, and tells how many', async () => {
    rig.discord.faults.next('serverError', { times: Infinity, route: 'messages' });
    const requestId = await requestSync(deps.collections, {});
    rig.start();
    let ended: unknown;
    await until(async () => {
      ended = await errorOf(requestId);
      return !(ended instanceof LookAgain);
    });
    const failed = rig.discord.model.publicThreads().length;
    expect(ended).to.deep.equal({ threads: 0, messages: 0, failed });
  });

  it('does not count a thread with a problem as fetched', async () => {
    const requestId = await aListedRequest();
    await aThread({ problem: 'It cannot be recorded' });
    await aThread({});
    await serve();
    expect(await look(requestId)).to.include({ threads: 1, failed: 1 });
  });

  it('waits for threads that were not tried since the request', async () => {
    await serve();
    const requestId = await aListedRequest();
    await aThread({ todo: 'new' });
    await aThread({ todo: 'new', dueAt: new Date(Date.now() + 20_000) });
    expect(await errorOf(requestId)).to.be.instanceOf(LookAgain);
  });

  it('ends when nobody has spoken to the platform for minutes', async () => {
    await serve();
    await releaseLease(deps.collections, 'somebody');
    const requestId = await aListedRequest();
    await aThread({ todo: 'new' });
    const setUnserved = (passedMs: number) =>
      requests().updateOne(
        { _id: requestId, unservedSince: { $exists: true } },
        { $set: { unservedSince: new Date(Date.now() - passedMs) } },
      );
    expect(await errorOf(requestId)).to.be.instanceOf(LookAgain);
    expect((await setUnserved(4 * MINUTE_MS)).matchedCount).to.equal(1);
    expect(await errorOf(requestId)).to.be.instanceOf(LookAgain);
    await serve();
    expect(await errorOf(requestId)).to.be.instanceOf(LookAgain);
    expect((await setUnserved(6 * MINUTE_MS)).matchedCount).to.equal(0);
    await releaseLease(deps.collections, 'somebody');
    expect(await errorOf(requestId)).to.be.instanceOf(LookAgain);
    await setUnserved(6 * MINUTE_MS);
    const error = await errorOf(requestId);
    expect(error).to.be.instanceOf(NotSynced);
    expect(error).to.have.property('message').that.contains('DISCORD_BOT_TOKEN');
    expect(await requests().findOne({ _id: requestId })).to.equal(null);
  });

  it('waits for these minutes by MongoDB’s clock, whichever worker looks', async () => {
    await serve();
    await releaseLease(deps.collections, 'somebody');
    const requestId = await aListedRequest();
    await aThread({ todo: 'new' });
    expect(await errorOf(requestId)).to.be.instanceOf(LookAgain);
    const now = Date.now.bind(Date);
    mock.method(Date, 'now', () => now() + 60 * MINUTE_MS);
    expect(await errorOf(requestId)).to.be.instanceOf(LookAgain);
  });

  it('looks less often the longer it takes', async () => {
    await serve();
    await aThread({ todo: 'new' });
    const rests: number[] = [];
    for (const passedMs of [0, 2 * MINUTE_MS, 60 * MINUTE_MS]) {
      const error = await errorOf(await aListedRequest(passedMs));
      rests.push((error as LookAgain).afterMs);
    }
    const [first, second, last] = rests as [number, number, number];
    expect(first).to.be.within(1_000, second - 1);
    expect(second).to.be.within(12_000, last);
    expect(last).to.equal(30_000);
  });
});
