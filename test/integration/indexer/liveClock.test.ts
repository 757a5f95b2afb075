import { mock } from 'node:test';
import { expect } from 'chai';
import { createLiveClock } from '../../../services/indexer/stores/liveClock.js';
import { isLive, realMicros } from '../../../shared/store/sourceTime.js';
import { stateOf } from '../../../shared/store/state.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('the clock of live data', () => {
  const { deps } = indexerSuite('cleared');
  const state = () => deps.collections.state;
  afterEach(() => mock.restoreAll());

  /** Has the clock of the machine go on as fast as timers do, until the test ends. */
  const steady = (): void => {
    const began = Date.now() - performance.now();
    mock.method(Date, 'now', () => Math.floor(began + performance.now()));
  };

  it('gives concurrent callers increasing, unique times, none before the present time', async () => {
    const clock = createLiveClock(state());
    const now = Date.now();
    mock.method(Date, 'now', () => now);
    const times = await Promise.all(Array.from({ length: 1_000 }, () => clock.take()));
    expect(times.every(isLive)).to.equal(true);
    expect([...new Set(times)].sort((one, other) => one - other)).to.deep.equal(times);
    expect(realMicros(times[0]!)).to.be.least(now * 1_000);
  });

  it('writes once for all times within half a second', async () => {
    const stored = state();
    let writes = 0;
    const counted = Object.create(stored, {
      findOneAndUpdate: {
        value: (...args: Parameters<typeof stored.findOneAndUpdate>) => {
          writes += 1;
          return stored.findOneAndUpdate(...args);
        },
      },
    }) as typeof stored;
    const clock = createLiveClock(counted);
    const began = performance.now();
    for (let n = 0; n < 1_000; n += 1) await clock.take();
    const seconds = (performance.now() - began) / 1_000;
    expect(writes).to.be.within(1, 1 + Math.ceil(seconds * 2));
  });

  it('reserves more where all reserved times are given', async () => {
    const clock = createLiveClock(state());
    let last = await clock.take();
    const end = last + 600_000;
    let isRising = true;
    while (last < end) {
      const time = await clock.take();
      isRising &&= time > last;
      last = time;
    }
    expect(isRising).to.equal(true);
  });

  it('gives later times after a restart than another process was given', async () => {
    const [one, other] = [createLiveClock(state()), createLiveClock(state())];
    const first = await one.take();
    const second = await other.take();
    one.restart();
    const third = await one.take();
    other.restart();
    const fourth = await other.take();
    expect([first, second, third, fourth].map((time) => realMicros(time))).to.deep.equal(
      [first, second, third, fourth].map((time) => realMicros(time)).sort((a, b) => a - b),
    );

    // The same holds where it was restarted while it reserved times.
    const stored = state();
    let fifth = 0;
    const slow = Object.create(stored, {
      findOneAndUpdate: {
        async value(...args: Parameters<typeof stored.findOneAndUpdate>) {
          const reserved = await stored.findOneAndUpdate(...args);
          if (fifth > 0) return reserved;
          restarted.restart();
          one.restart();
          fifth = await one.take();
          return reserved;
        },
      },
    }) as typeof stored;
    const restarted = createLiveClock(slow);
    expect(await restarted.take()).to.be.above(fifth);
  });

  it('waits until the times that another process has reserved are over, so that its times are present ones', async () => {
    const [one, other] = [createLiveClock(state()), createLiveClock(state())];
    steady();
    await one.take();
    const time = await other.take();
    expect(realMicros(time)).to.be.most((Date.now() + 1) * 1_000);
  });

  it('continues after the stored time, even if its own clock is behind', async () => {
    const ahead = (Date.now() + 3_600_000) * 1_000;
    await stateOf(state(), 'live').updateOne(
      { _id: 'live' },
      { $set: { value: ahead } },
      { upsert: true },
    );
    const time = await createLiveClock(state()).take();
    expect(realMicros(time)).to.equal(ahead + 1);
  });
});
