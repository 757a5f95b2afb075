import { expect } from 'chai';
import { RateLimits } from '../../../../shared/discordApi/rateLimits.js';
import { FakeClock } from '../../../support/fakeClock.js';

const LIMIT = 5;
const WINDOW_MS = 1_000;
const ROUTES = ['GET /a', 'GET /b'];

/** Pseudorandom numbers from 0 to 1 that are the same in each run. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/**
 * A bucket as the platform keeps it, shared by two routes. A window begins with its first request. An answer tells how
 * many requests are left when its request arrives.
 */
function aBucket(clock: FakeClock) {
  let endsAt = -Infinity;
  let used = 0;
  return {
    refused: 0,
    arrive(): Headers {
      if (clock.now() >= endsAt) [endsAt, used] = [clock.now() + WINDOW_MS, 0];
      used += 1;
      if (used > LIMIT) this.refused += 1;
      return new Headers({
        'X-RateLimit-Bucket': 'shared',
        'X-RateLimit-Limit': String(LIMIT),
        'X-RateLimit-Remaining': String(Math.max(0, LIMIT - used)),
        'X-RateLimit-Reset-After': String((endsAt - clock.now()) / 1_000),
      });
    },
  };
}

/** The headers of an answer that names a bucket. */
const told = (remaining: number, resetAfter: number, name = 'shared') =>
  new Headers({
    'X-RateLimit-Bucket': name,
    'X-RateLimit-Limit': String(LIMIT),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset-After': String(resetAfter),
  });

describe('the limits by route', () => {
  /**
   * Limits with so many requests under way in one bucket. It also returns how many others have been let through by now.
   */
  async function withUnderWay(count: number) {
    const clock = new FakeClock();
    const limits = new RateLimits(clock);
    const take = (topId = '1') => limits.take({ route: 'GET /a', topId });
    (await take()).end(told(LIMIT, 1));
    const leaves = [];
    while (leaves.length < count) leaves.push(await take());
    let through = 0;
    const throughAt = async (ms: number) => {
      await clock.pass(ms - clock.now());
      return through;
    };
    const ask = () => void take().then(() => (through += 1));
    return { leaves, take, ask, throughAt };
  }

  it('wait for the end of the latest known window, whichever answer comes last', async () => {
    const { leaves, ask, throughAt } = await withUnderWay(2);
    leaves[0]!.end(told(0, 5));
    leaves[1]!.end(told(1, 2));
    ask();
    expect(await throughAt(4_999)).to.equal(0);
    expect(await throughAt(5_000)).to.equal(1);
  });

  it('wait as long as the longest 429 demands', async () => {
    const { leaves, ask, throughAt } = await withUnderWay(2);
    leaves[0]!.end(null, 4_000);
    leaves[1]!.end(null, 100);
    ask();
    expect(await throughAt(3_999)).to.equal(0);
    expect(await throughAt(4_000)).to.equal(1);
  });

  it('stay where an answer names no bucket', async () => {
    const { leaves, ask, throughAt } = await withUnderWay(2);
    leaves[0]!.end(told(0, 5));
    leaves[1]!.end(new Headers());
    ask();
    expect(await throughAt(4_999)).to.equal(0);
  });

  it('count requests under way where the bucket of a route changes', async () => {
    const { leaves, ask, throughAt } = await withUnderWay(4);
    leaves[0]!.end(told(LIMIT - 1, 5, 'another'));
    for (let n = 0; n < LIMIT; n += 1) ask();
    expect(await throughAt(4_999)).to.equal(1);
  });

  it('keep buckets that are in use, however many there are', async () => {
    const { leaves, take, ask, throughAt } = await withUnderWay(1);
    leaves[0]!.end(told(0, 5));
    for (let n = 0; n < 10_000; n += 1) (await take(`other ${n}`)).end(told(LIMIT, 0));
    ask();
    expect(await throughAt(4_999)).to.equal(0);
    expect(await throughAt(5_000)).to.equal(1);
  });

  for (let seed = 1; seed <= 20; seed += 1) {
    it(`send nothing that a bucket would refuse, in whatever order answers come: ${seed}`, async () => {
      const next = chance(seed);
      const clock = new FakeClock();
      const limits = new RateLimits(clock);
      const bucket = aBucket(clock);
      const ask = async (route: string): Promise<void> => {
        const permit = await limits.take({ route, topId: '1' });
        await clock.sleep(next() * 40);
        const headers = bucket.arrive();
        await clock.sleep(next() * 700);
        permit.end(headers);
      };
      // Several routes have to find out first that they share a bucket.
      const routes = seed % 2 === 0 ? ROUTES : ['GET /a'];
      for (const route of seed % 2 === 0 ? ROUTES : []) {
        const first = ask(route);
        await clock.pass(2_000);
        await first;
      }
      const all = Array.from({ length: 60 }, async (_, n) => {
        await clock.sleep(next() * 6_000);
        return ask(routes[n % routes.length]!);
      });
      await clock.pass(60_000);
      await Promise.all(all);
      expect(bucket.refused).to.equal(0);
    });
  }
});
