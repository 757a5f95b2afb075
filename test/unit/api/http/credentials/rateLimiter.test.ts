import { expect } from 'chai';
import {
  RateLimiter,
  type SharedCount,
} from '../../../../../services/api/http/credentials/rateLimiter.js';

describe('RateLimiter', () => {
  let now: number;
  const clock = () => now;
  beforeEach(() => {
    now = 600_000;
  });

  it('allows the limit in each minute, and tells what is left', () => {
    const limiter = new RateLimiter({
      policy: 'reads',
      limit: 3,
      now: clock,
      shared: countInMemory(),
    });
    const left = () => limiter.take('a').left;
    expect([left(), left(), left(), left(), left()]).to.deep.equal([2, 1, 0, -1, -1]);
    expect(limiter.take('b').left).to.equal(2);
    now += 59_001;
    expect(limiter.take('a')).to.deep.equal({ left: -1, resetSeconds: 1 });
    now += 999;
    expect(limiter.take('a')).to.deep.equal({ left: 2, resetSeconds: 60 });
  });

  it('counts a heavier request as several, and not at all where so many are not left', () => {
    const limiter = new RateLimiter({
      policy: 'caller',
      limit: 25,
      now: clock,
      shared: countInMemory(),
    });
    const left = (weight?: number) => limiter.take('a', weight).left;
    expect([left(10), left(10), left(10), left(), left(10)]).to.deep.equal([15, 5, -5, 4, -6]);
  });

  it('looks without counting', () => {
    const limiter = new RateLimiter({
      policy: 'reads',
      limit: 1,
      now: clock,
      shared: countInMemory(),
    });
    for (let turn = 0; turn < 5; turn += 1) expect(limiter.look('a').left).to.equal(1);
    limiter.take('a');
    expect(limiter.look('a').left).to.equal(0);
  });

  it('applies one limit to several processes, once they have shared', async () => {
    const shared = countInMemory();
    const [one, two] = [1, 2].map(
      () => new RateLimiter({ policy: 'reads', limit: 10, now: clock, shared }),
    ) as [RateLimiter, RateLimiter];
    for (let turn = 0; turn < 6; turn += 1) one.take('a');
    for (let turn = 0; turn < 4; turn += 1) two.take('a');
    await one.share();
    await two.share();
    expect(two.look('a').left).to.equal(0);
    two.take('b');
    one.take('a');
    await one.share();
    expect(one.look('a').left).to.equal(-1);
  });

  it('shares only a considerable part of the limit', async () => {
    const told: string[] = [];
    const shared: SharedCount = (name, _window, hits) => {
      told.push(`${name} ${hits}`);
      return Promise.resolve(hits);
    };
    const limiter = new RateLimiter({ policy: 'reads', limit: 100, now: clock, shared });
    limiter.take('a');
    limiter.take('b');
    limiter.take('b');
    await limiter.share();
    await limiter.share();
    expect(told).to.deep.equal(['b 2']);
  });

  it('shares a thousand names at once, and the others later in their order', async () => {
    let told: string[] = [];
    const shared: SharedCount = (name, _window, hits) => {
      told.push(`${name} ${hits}`);
      return Promise.resolve(hits);
    };
    const limiter = new RateLimiter({ policy: 'reads', limit: 10, now: clock, shared });
    for (let name = 0; name < 1_500; name += 1) limiter.take(String(name));
    await limiter.share();
    expect(told).to.have.lengthOf(1_000);
    told = [];
    for (const name of ['0', '1499']) limiter.take(name);
    await limiter.share();
    expect(told).to.have.lengthOf(501);
    expect([told[0], ...told.slice(-2)]).to.deep.equal(['1000 1', '1499 2', '0 1']);
  });

  it('shares nothing of the minute before', async () => {
    const told: string[] = [];
    const shared: SharedCount = (name, _window, hits) => {
      told.push(`${name} ${hits}`);
      return Promise.resolve(hits);
    };
    let time = clock();
    const limiter = new RateLimiter({ policy: 'reads', limit: 10, now: () => time, shared });
    limiter.take('a');
    time += 60_000;
    limiter.take('b');
    await limiter.share();
    expect(told).to.deep.equal(['b 1']);
  });

  it('counts by itself while the shared count is away, and shares again later', async () => {
    let isAway = true;
    const counted = countInMemory();
    const shared: SharedCount = (...args) =>
      isAway ? Promise.reject(new Error('away')) : counted(...args);
    const limiter = new RateLimiter({ policy: 'reads', limit: 10, now: clock, shared });
    for (let turn = 0; turn < 10; turn += 1) limiter.take('a');
    await limiter.share();
    expect(limiter.take('a').left).to.equal(-1);
    isAway = false;
    limiter.take('b');
    await counted('b', 10, 7);
    await limiter.share();
    expect(limiter.look('a').left).to.equal(0);
    expect(limiter.look('b').left).to.equal(2);
  });

  it('does not take its own hits for those of others when answers of the shared count are lost', async () => {
    let isLost = true;
    const counted = countInMemory();
    const shared: SharedCount = async (...args) => {
      const whole = await counted(...args);
      if (isLost) throw new Error('The answer came too late');
      return whole;
    };
    const limiter = new RateLimiter({ policy: 'reads', limit: 10, now: clock, shared });
    for (let turn = 0; turn < 3; turn += 1) {
      limiter.take('a');
      await limiter.share();
    }
    isLost = false;
    limiter.take('a');
    await limiter.share();
    expect(await counted('a', 10, 0)).to.equal(4);
    expect(limiter.look('a').left).to.equal(6);
  });

  it('gives nobody more than the limit where the shared count was lost', async () => {
    // Each answer is that of a count which was emptied just before.
    const shared: SharedCount = (_name, _window, hits) => Promise.resolve(hits);
    const limiter = new RateLimiter({ policy: 'reads', limit: 10, now: clock, shared });
    for (const times of [4, 3]) {
      for (let turn = 0; turn < times; turn += 1) limiter.take('a');
      await limiter.share();
    }
    expect(limiter.look('a').left).to.equal(3);
  });

  it('counts a hundred thousand names, and lets further ones pass', () => {
    const limiter = new RateLimiter({
      policy: 'reads',
      limit: 1,
      now: clock,
      shared: countInMemory(),
    });
    for (let name = 0; name < 100_000; name += 1) limiter.take(String(name));
    expect(limiter.take('7').left).to.equal(-1);
    expect(limiter.take('new').left).to.equal(0);
    expect(limiter.take('new').left).to.equal(0);
  });
});

function countInMemory(): SharedCount {
  const counts = new Map<string, number>();
  return (name, window, hits) => {
    const key = `${window} ${name}`;
    const whole = (counts.get(key) ?? 0) + hits;
    counts.set(key, whole);
    return Promise.resolve(whole);
  };
}
