import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { runInBackground } from '../../../../services/indexer/work/backgroundLoop.js';
import { createBell } from '../../../../services/indexer/work/bell.js';
import { until } from '../../../support/apiServer.js';

describe('runInBackground', () => {
  const logger = pino({ level: 'silent' });
  const bell = createBell();
  const LONG = {
    idleMs: 50,
    longestRestMs: 50,
    bell,
    logger,
    isBusy: () => false,
    isReady: () => true,
  };

  const HOUR = 3_600_000;

  it('goes on at once while there is more to do', async () => {
    const ends = [true, true, undefined];
    let rounds = 0;
    const round = () => Promise.resolve(ends[rounds++]);
    const loop = runInBackground('test', round, { ...LONG, idleMs: HOUR, longestRestMs: HOUR });
    await until(() => rounds === 3);
    await loop.stop();
  });

  it('rests when nothing is left to do, or a round failed', async () => {
    const ends = [undefined, new Error('once'), false];
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
    await until(() => times.length > 3);
    await loop.stop();
    const waits = times.slice(1, 4).map((time, index) => time - times[index]!);
    expect(waits.map((ms) => ms > 40)).to.deep.equal([true, true, true]);
  });

  /** How long a round worked (ms), and how long its loop then rested, while jobs were waiting. */
  async function pauseWhileBusy(): Promise<{ worked: number; rested: number }> {
    const [began, ended]: number[][] = [[], []];
    const round = async (): Promise<void> => {
      began!.push(performance.now());
      await pause(20);
      ended!.push(performance.now());
    };
    const loop = runInBackground('test', round, { ...LONG, isBusy: () => true });
    await until(() => began!.length > 1);
    await loop.stop();
    return { worked: ended![0]! - began![0]!, rested: began![1]! - ended![0]! };
  }

  it('takes a small part of the time while jobs are waiting', async () => {
    const { worked, rested } = await pauseWhileBusy();
    // A loop never rests for more than ten seconds.
    expect(rested).to.be.above(Math.min(10 * worked, 9_000));
  });

  it('rests as long where the clock of the machine is set back', async () => {
    let time = Date.now();
    const clock = mock.method(Date, 'now', () => (time -= 1_000));
    const { worked, rested } = await pauseWhileBusy();
    clock.mock.restore();
    expect(rested).to.be.above(Math.min(10 * worked, 9_000));
  });

  it('rests, after each round that did something, for as long as its options say', async () => {
    const [began, ended]: number[][] = [[], []];
    const round = async (): Promise<boolean> => {
      began!.push(performance.now());
      await pause(50);
      ended!.push(performance.now());
      return true;
    };
    const loop = runInBackground('test', round, { ...LONG, restAfter: (ms) => 3 * ms });
    await until(() => began!.length > 1);
    await loop.stop();
    const [worked, rested] = [ended![0]! - began![0]!, began![1]! - ended![0]!];
    expect(rested).to.be.above(2.5 * worked);
  });

  it('tells its options whether a round did everything', async () => {
    const found = [true, 'all', true];
    const told: unknown[] = [];
    const round = () => Promise.resolve(found[told.length]);
    const restAfter = (_ms: number, what: unknown) => told.push(what) * 0;
    const loop = runInBackground('test', round, { ...LONG, restAfter });
    await until(() => told.length === 3);
    await loop.stop();
    expect(told).to.deep.equal(found);
  });

  it('stops resting when no jobs are waiting any more', async () => {
    let isBusy = true;
    let isLate = false;
    const late: boolean[] = [];
    const round = async (): Promise<void> => {
      late.push(isLate);
      await pause(400);
    };
    const loop = runInBackground('test', round, { ...LONG, isBusy: () => isBusy });
    await until(() => late.length === 1);
    await pause(500);
    isBusy = false;
    // Where it rested as with waiting jobs, the rest would take more than six seconds.
    const timer = setTimeout(() => (isLate = true), 5_000);
    await until(() => late.length > 1);
    clearTimeout(timer);
    expect(late[1]).to.equal(false);
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

  describe('with nothing to do', () => {
    const RESTING = { ...LONG, idleMs: 1, longestRestMs: HOUR };

    it('rests until the bell rings, also where it rang during the round', async () => {
      const own = createBell();
      let rounds = 0;
      const round = () => {
        rounds += 1;
        if (rounds === 1) own.ring();
        return Promise.resolve(false);
      };
      const loop = runInBackground('test', round, { ...RESTING, bell: own });
      await until(() => rounds === 2);
      await pause(100);
      expect(rounds).to.equal(2);
      own.ring();
      await until(() => rounds === 3);
      await loop.stop();
    });

    it('looks again when something is due, and after its longest rest', async () => {
      for (const [due, longestRestMs] of [
        [20, HOUR],
        [HOUR, 20],
        [undefined, 20],
      ] as const) {
        let rounds = 0;
        const round = () => {
          rounds += 1;
          return Promise.resolve(due ?? false);
        };
        const loop = runInBackground('test', round, { ...RESTING, longestRestMs });
        await until(() => rounds > 2);
        await loop.stop();
      }
    });
  });
});
