import { expect } from 'chai';
import { RateBucket } from '../../../../shared/discordApi/rateBucket.js';
import { FakeClock } from '../../../support/fakeClock.js';

describe('RateBucket', () => {
  it('is idle once it is full and all who waited have given up, so that it can be dropped', async () => {
    const clock = new FakeClock();
    const bucket = new RateBucket(clock);
    await bucket.take();
    bucket.giveBack({ hash: 'a', limit: 1, remaining: 0, resetAfterMs: 1_000 });
    const limit = new AbortController();
    const waiting = bucket.take(limit.signal).catch(() => 'given up');
    await clock.pass(500);
    expect(bucket.isIdle).to.equal(false);
    limit.abort();
    expect(await waiting).to.equal('given up');
    await clock.pass(500);
    expect(bucket.isIdle).to.equal(true);
  });

  it('goes by an answer of the new window alone where the last one has ended meanwhile', async () => {
    const clock = new FakeClock();
    const bucket = new RateBucket(clock);
    await bucket.take();
    bucket.giveBack({ hash: 'a', limit: 2, remaining: 1, resetAfterMs: 1_000 });
    await bucket.take();
    // This request is so slow that the platform counts it in the new window.
    await clock.pass(1_500);
    bucket.giveBack({ hash: 'a', limit: 2, remaining: 1, resetAfterMs: 1_000 });
    let taken = 0;
    const take = () => bucket.take().then(() => (taken += 1));
    const both = Promise.all([take(), take()]);
    await clock.pass(999);
    expect(taken).to.equal(1);
    await clock.pass(1);
    await both;
  });
});
