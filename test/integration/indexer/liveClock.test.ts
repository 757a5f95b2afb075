import { expect } from 'chai';
import { createLiveClock } from '../../../services/indexer/stores/liveClock.js';
import { isLive, realMicros } from '../../../shared/store/sourceTime.js';
import { stateOf } from '../../../shared/store/state.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('the clock of live data', () => {
  const { deps } = indexerSuite('reopened');
  const state = () => deps.collections.state;

  it('gives concurrent callers increasing, unique times, none before the present time', async () => {
    const clock = createLiveClock(state());
    const before = Date.now() * 1_000;
    const asked = await Promise.all(Array.from({ length: 50 }, (_, n) => clock.take(n + 1)));
    const times = asked.flat();
    expect(times).to.have.length((50 * 51) / 2);
    expect(times.every(isLive)).to.equal(true);
    expect([...new Set(times)].sort((one, other) => one - other)).to.deep.equal(times);
    expect(realMicros(times[0]!)).to.be.least(before);
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
    for (let n = 0; n < 1_000; n += 1) await clock.take(1);
    const seconds = (performance.now() - began) / 1_000;
    expect(writes).to.be.within(1, 1 + Math.ceil(seconds * 2));
  });

  it('reserves more where more is asked for than is left', async () => {
    const clock = createLiveClock(state());
    const [first] = await clock.take(1);
    const many = await clock.take(499_999);
    const [last] = await clock.take(1);
    expect(many[0]).to.be.above(first!);
    expect(last).to.be.above(many.at(-1)!);
  });

  it('gives later times after a restart than another process was given', async () => {
    const [one, other] = [createLiveClock(state()), createLiveClock(state())];
    const [first] = await one.take(1);
    const [second] = await other.take(1);
    one.restart();
    const [third] = await one.take(1);
    other.restart();
    const [fourth] = await other.take(1);
    expect([first, second, third, fourth].map((time) => realMicros(time!))).to.deep.equal(
      [first, second, third, fourth].map((time) => realMicros(time!)).sort((a, b) => a - b),
    );
  });

  it('waits until the times that another process has reserved are over, so that its times are present ones', async () => {
    const [one, other] = [createLiveClock(state()), createLiveClock(state())];
    await one.take(1);
    const [time] = await other.take(1);
    expect(realMicros(time!)).to.be.most((Date.now() + 1) * 1_000);
  });

  it('continues after the stored time, even if its own clock is behind', async () => {
    const ahead = (Date.now() + 3_600_000) * 1_000;
    await stateOf(state(), 'live').updateOne(
      { _id: 'live' },
      { $set: { value: ahead } },
      { upsert: true },
    );
    const [time] = await createLiveClock(state()).take(1);
    expect(realMicros(time!)).to.equal(ahead + 1);
  });
});
