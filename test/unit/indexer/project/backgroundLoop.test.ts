import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { runInBackground } from '../../../../services/indexer/project/backgroundLoop.js';
import { until } from '../../../support/apiServer.js';

describe('runInBackground', () => {
  const logger = pino({ level: 'silent' });
  const LONG = { idleMs: 50, logger, isBusy: () => false, isReady: () => true };

  it('goes on at once while there is more, and after a rest when there is not, or a round failed', async () => {
    const ends = [true, true, undefined, new Error('once'), false];
    const times: number[] = [];
    const loop = runInBackground(
      'test',
      () => {
        times.push(performance.now());
        const end = ends[times.length - 1];
        return end instanceof Error ? Promise.reject(end) : Promise.resolve(end);
      },
      LONG,
    );
    await until(() => times.length > 5);
    await loop.stop();
    const waits = times.slice(1, 6).map((time, index) => time - times[index]!);
    expect(waits.map((ms) => ms > 40)).to.deep.equal([false, false, true, true, true]);
  });

  it('takes a small part of the time while jobs are waiting, and rests no longer than they last', async () => {
    let isBusy = true;
    let rounds = 0;
    const loop = runInBackground(
      'test',
      async () => {
        rounds += 1;
        await pause(300);
      },
      { ...LONG, isBusy: () => isBusy },
    );
    await pause(1_500);
    expect(rounds).to.equal(1);
    isBusy = false;
    await until(() => rounds > 1, 1_000);
    await loop.stop();
  });

  it('does nothing while the stores are away', async () => {
    let isReady = false;
    let rounds = 0;
    const round = () => Promise.resolve((rounds += 1));
    const loop = runInBackground('test', round, { ...LONG, isReady: () => isReady });
    await pause(200);
    expect(rounds).to.equal(0);
    isReady = true;
    await until(() => rounds > 0);
    await loop.stop();
  });
});
