import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createLiveClock } from '../../../services/indexer/stores/liveClock.js';
import {
  forgetLease,
  holdLease,
  LEASE_MS,
  releaseLease,
} from '../../../services/indexer/sync/lease.js';
import { runSync } from '../../../services/indexer/sync/runSync.js';
import type { PlatformClient } from '../../../shared/discordApi/platformClient.js';
import { PlatformUnauthorized } from '../../../shared/discordApi/platformErrors.js';
import { beginRestore } from '../../../shared/store/restore.js';
import { stateOf } from '../../../shared/store/state.js';
import { readEventsState, syncState } from '../../../shared/store/syncState.js';
import { until } from '../../support/apiServer.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { QUIET } from '../../support/syncRig.js';

describe('the lease of who speaks to the platform', () => {
  const { deps } = indexerSuite('emptied');
  afterEach(() => mock.reset());

  /** A sync whose platform never answers, with the signals of its requests. */
  function startSync(
    clock = createLiveClock(deps.collections.state),
    answer = (): Promise<unknown> => new Promise(() => undefined),
  ) {
    const asked: AbortSignal[] = [];
    const get = (_request: unknown, signal: AbortSignal) => {
      asked.push(signal);
      const ended = new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
      return Promise.race([answer(), ended]);
    };
    const sync = runSync(deps, { platform: { get } as unknown as PlatformClient, clock }, QUIET);
    return { sync, asked };
  }
  /** A sync that has the lease. It renews the lease when it is told that the time has come. */
  async function withLease() {
    const timers: (() => void)[] = [];
    mock.method(globalThis, 'setInterval', (run: () => void) => void timers.push(run));
    const { sync, asked } = startSync();
    await until(() => asked.length > 0);
    return { sync, asked: asked[0]!, renew: () => timers[0]!() };
  }

  it('keeps all other processes from sending requests', async () => {
    expect(await holdLease(deps.collections, 'another')).to.equal(true);
    const { sync, asked } = startSync();
    // It ends after it has looked at the lease.
    await sync.stop();
    expect(asked).to.deep.equal([]);
    expect(await deps.collections.sync.countDocuments()).to.equal(0);
  });

  it('is given back while a restore writes records, so that the sync does not fill the archive', async () => {
    const { collections } = deps;
    await beginRestore(collections);
    const { sync, asked } = startSync();
    // It ends after it has looked.
    await sync.stop();
    expect(asked).to.deep.equal([]);
    expect(await collections.sync.countDocuments()).to.equal(0);
    expect(await holdLease(collections, 'another')).to.equal(true);
  });

  it('is changed by its holder alone, and is taken over without what it says', async () => {
    const { collections } = deps;
    const problem = 'The platform refuses the token';
    const stored = () => stateOf(collections.state, 'sync').findOne({ _id: 'sync' });
    await holdLease(collections, 'one', 7);
    await stateOf(collections.state, 'sync').updateOne({ _id: 'sync' }, { $set: { problem } });
    expect(await holdLease(collections, 'one', 8)).to.equal(true);
    await releaseLease(collections, 'other');
    expect(await holdLease(collections, 'other', 9)).to.equal(false);
    expect(await stored()).to.include({ holder: 'one', problem, perSecond: 8 });
    await releaseLease(collections, 'one');
    expect(await holdLease(collections, 'other', 9)).to.equal(true);
    expect(await stored()).to.include({ holder: 'other', problem: null, perSecond: 9 });
  });

  it('begins with later times than those of its former holder', async () => {
    const [own, other] = [
      createLiveClock(deps.collections.state),
      createLiveClock(deps.collections.state),
    ];
    await own.take();
    const before = await other.take();
    // The clock of this machine is set back.
    const now = Date.now.bind(Date);
    mock.method(Date, 'now', () => now() - 5_000);
    const { sync, asked } = startSync(own);
    await until(() => asked.length > 0);
    expect(await own.take()).to.be.above(before);
    await sync.stop();
  });

  it('is reset with its problem by a process without a token, but not while it is used', async () => {
    const { collections } = deps;
    await holdLease(collections, 'another');
    const problem = 'The platform refuses the token';
    await stateOf(collections.state, 'sync').updateOne({ _id: 'sync' }, { $set: { problem } });
    await forgetLease(collections);
    // With a problem, an indexer with a token rests for a minute, and lets the lease run out.
    const ended = new Date(Date.now() - 60_000);
    await stateOf(collections.state, 'sync').updateOne({ _id: 'sync' }, { $set: { until: ended } });
    await forgetLease(collections);
    expect(await syncState(collections)).to.include({ problem });
    await releaseLease(collections, 'another');
    await forgetLease(collections);
    expect(await syncState(collections)).to.equal(null);
  });

  it('ends by MongoDB’s clock, also for a process that only tells the status', async () => {
    const { collections } = deps;
    await holdLease(collections, 'another');
    const connectedAt = new Date();
    const state = { session: null, connectedAt, lastEventAt: null, waiting: 0, problem: null };
    await stateOf(collections.state, 'gateway').insertOne({ _id: 'gateway', ...state });
    const now = Date.now.bind(Date);
    mock.method(Date, 'now', () => now() + 3_600_000);
    const told = connectedAt.toISOString();
    expect((await readEventsState(collections))?.connectedAt).to.equal(told);
    expect((await syncState(collections))?.events?.connectedAt).to.equal(told);
    await releaseLease(collections, 'another');
    expect((await readEventsState(collections))?.connectedAt).to.equal(null);
  });

  it('is not given up by a process with a refused token, so that others keep the problem', async () => {
    const { collections } = deps;
    const { sync } = startSync(undefined, () => Promise.reject(new PlatformUnauthorized()));
    const problem = () => syncState(collections).then((state) => state?.problem ?? null);
    await until(async () => (await problem()) !== null);
    // This is as long as it may take to give up the lease.
    await pause(500);
    await forgetLease(collections);
    expect(await problem()).to.equal(new PlatformUnauthorized().message);
    await sync.stop();
  });

  it('ends the requests under way when another process has taken it', async () => {
    const { sync, asked, renew } = await withLease();
    const until2100 = new Date(4_102_444_800_000);
    await stateOf(deps.collections.state, 'sync').updateOne(
      { _id: 'sync' },
      { $set: { holder: 'another', until: until2100 } },
    );
    renew();
    await until(() => asked.aborted);
    await sync.stop();
  });

  it('is lost to a process that hears of it only when it may be taken', async () => {
    let now = performance.now();
    mock.method(performance, 'now', () => now);
    const state = stateOf(deps.collections.state, 'sync');
    const ask = state.findOneAndUpdate.bind(state) as (...given: unknown[]) => Promise<unknown>;
    let looks = 0;
    mock.method(state, 'findOneAndUpdate', async (...given: unknown[]) => {
      const answer = await ask(...given);
      looks += 1;
      if (looks > 1) return answer;
      // The answer comes late. Meanwhile another process takes the lease.
      now += LEASE_MS;
      const until2100 = new Date(4_102_444_800_000);
      await state.updateOne({ _id: 'sync' }, { $set: { holder: 'another', until: until2100 } });
      return answer;
    });
    const { sync, asked } = startSync();
    await until(() => asked.length > 0 || looks > 1);
    await sync.stop();
    expect(asked).to.deep.equal([]);
  });

  it('ends the requests of a process that was held up for so long that it may be taken', async () => {
    let now = performance.now();
    mock.method(performance, 'now', () => now);
    const { sync, asked, renew } = await withLease();
    renew();
    expect(asked.aborted).to.equal(false);
    now += LEASE_MS * 0.8;
    renew();
    expect(asked.aborted).to.equal(true);
    await sync.stop();
  });
});
