import { mock } from 'node:test';
import { expect } from 'chai';
import { createHeldTeller, noteAway } from '../../../services/indexer/sync/noteAway.js';
import { holdLease } from '../../../services/indexer/sync/lease.js';
import { stateOf } from '../../../shared/store/state.js';
import { syncState } from '../../../shared/store/syncState.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { requestSync } from '../../../shared/store/requestSync.js';
import { until, untilEqual } from '../../support/apiServer.js';
import { syncSuite, untilSynced } from '../../support/syncRig.js';

describe('what the status tells while the platform does not answer', () => {
  const rig = syncSuite();
  const { deps } = rig;
  afterEach(() => mock.reset());
  const problem = async () => (await syncState(deps.collections))?.problem ?? null;

  for (const route of ['guild', 'messages'] as const) {
    it(`is why, until it answers again: ${route}`, async () => {
      await rig.open({ history: { forums: 1, threads: 1, messages: 2 } });
      rig.discord.faults.next('serverError', { route, times: Infinity });
      rig.start();
      await until(async () => (await problem()) !== null);
      expect(await problem()).to.match(
        /^The platform answers 500.* The archive asks again by itself$/,
      );
      rig.discord.faults.clear();
      await requestSync(deps.collections, {});
      await untilEqual(problem, null);
    });
  }

  it('is that nothing may be asked, and until when', async () => {
    await rig.open({ history: { forums: 1, threads: 1, messages: 2 } });
    rig.start();
    await untilSynced(deps);
    expect(await problem()).to.equal(null);
    const before = Date.now();
    rig.discord.limits.blockByCloudflare(3_600);
    await requestSync(deps.collections, {});
    await until(async () => (await problem()) !== null);
    const told = /^Cloudflare, .* limits this address \(429\)\. Nothing is sent before (.+)$/;
    const [, end] = told.exec((await problem())!)!;
    expect(Date.parse(end!) - before).to.be.within(3_500_000, 3_660_000);
  });

  it('is told no longer than it holds', async () => {
    await rig.open({ history: { forums: 1, threads: 1, messages: 2 } });
    await holdLease(deps.collections, 'somebody');
    await noteAway(deps, new Error('It is away'));
    expect(await problem()).to.equal('It is away. The archive asks again by itself');
    await stateOf(deps.collections.state, 'sync').updateOne(
      { _id: 'sync' },
      { $set: { 'away.until': new Date(Date.now() - 1) } },
    );
    expect(await problem()).to.equal(null);
  });

  it('is told by a process whose clock is ahead, too', async () => {
    await rig.open({ history: { forums: 1, threads: 1, messages: 2 } });
    await holdLease(deps.collections, 'somebody');
    await noteAway(deps, new Error('It is away'));
    const now = Date.now.bind(Date);
    mock.method(Date, 'now', () => now() + 3_600_000);
    expect(await problem()).to.match(/^It is away/);
  });

  it('is told once for each pause, and not for a short one', async () => {
    await rig.open({ history: { forums: 1, threads: 1, messages: 2 } });
    await holdLease(deps.collections, 'somebody');
    const warnings: string[] = [];
    const logger = { warn: (text: string) => warnings.push(text) } as unknown as Logger;
    const tell = createHeldTeller({ collections: deps.collections, logger });
    tell({ ms: 5_000, why: 'A short one' });
    tell({ ms: 60_000, why: 'A long one' });
    tell({ ms: 59_000, why: 'A long one' });
    tell({ ms: 600_000, why: 'A longer one' });
    const told = warnings.map((text) => text.split('.')[0]);
    expect(told).to.deep.equal(['A long one', 'A longer one']);
  });
});
