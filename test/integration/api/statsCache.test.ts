import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { getServerStats } from '../../../services/api/servers/getServerStats.js';
import { createStatsCache } from '../../../services/api/servers/statsCache.js';
import { createRedis } from '../../../shared/platform/clients.js';
import { suiteStores } from '../../support/suiteStores.js';

const ANSWER = { etag: '"a"', length: 3, gzip: Buffer.from('zip') };

describe('createStatsCache', () => {
  const stores = suiteStores();
  let now = 0;
  let failures = 0;

  /** The cache of a process that began to follow announcements at `now`. */
  const cacheOf = (redis = stores.redis) => {
    const onFailure = () => (failures += 1);
    const cache = createStatsCache(redis, stores.mongo.namespace, { onFailure, now: () => now });
    cache.dropAll();
    return cache;
  };
  const keyOf = (serverId: string) => `${stores.mongo.namespace}:stats:${serverId}`;
  /** Stores statistics as another process did `agoMs` ago. */
  const store = async (serverId: string, agoMs: number) => {
    const [seconds, micros] = await stores.redis.time();
    const at = Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000) - agoMs;
    await stores.redis.set(keyOf(serverId), `"a" 3 ${at}\nzip`, 'PX', 60_000 - agoMs);
  };
  /** Stores statistics that were read `agoMs` ago, because they were not cached. */
  const write = async (cache: ReturnType<typeof cacheOf>, serverId: string, agoMs = 0) => {
    const found = await cache.read(serverId);
    if (found.state !== 'absent') throw new Error(found.state);
    cache.write(serverId, ANSWER, found.at - agoMs);
  };
  /** Servers whose statistics a cache takes from Redis. */
  const takenBy = async (cache: ReturnType<typeof cacheOf>, serverIds: string[]) => {
    const found = await Promise.all(serverIds.map((serverId) => cache.read(serverId)));
    return serverIds.filter((_, n) => found[n]?.state === 'hit');
  };

  it('gives out what another process has stored, for the rest of 60 seconds', async () => {
    const [writer, reader] = [cacheOf(), cacheOf()];
    now += 60_000;
    await write(writer, '1');
    const found = await reader.read('1');
    if (found.state !== 'hit') throw new Error(found.state);
    expect(found.answer).to.deep.equal(ANSWER);
    expect(found.leftMs).to.be.within(1, 60_000);
    expect(await reader.read('2')).to.include({ state: 'absent' });
  });

  it('takes nothing that was stored before a drop, or in the five seconds after it', async () => {
    const cache = cacheOf();
    now += 100_000;
    for (const serverId of ['3', '4']) await store(serverId, 20_000);
    await store('5', 14_000);
    now -= 20_000;
    cache.drop(['3', '5']);
    now += 20_000;
    expect(await takenBy(cache, ['3', '4', '5'])).to.deep.equal(['4', '5']);
    // A slow process stores what it has read before the drop.
    await store('5', 16_000);
    expect(await takenBy(cache, ['5'])).to.deep.equal([]);
  });

  it('takes nothing that was read before a drop, although Redis stored it long after', async () => {
    const cache = cacheOf();
    now += 60_000;
    cache.drop(['10']);
    now += 20_000;
    // It was sent before the drop to a Redis that was frozen until now.
    await write(cache, '10', 20_000);
    expect(await stores.redis.exists(keyOf('10'))).to.equal(1);
    expect(await takenBy(cache, ['10'])).to.deep.equal([]);
    await write(cache, '10');
    expect(await takenBy(cache, ['10'])).to.deep.equal(['10']);
  });

  it('takes nothing that was read before a drop, although another process stores newer meanwhile', async () => {
    const cache = cacheOf(afterEachCommand(stores.redis, () => store('13', 0)));
    now += 60_000;
    await store('13', 40_000);
    now -= 20_000;
    cache.drop(['13']);
    now += 20_000;
    expect(await takenBy(cache, ['13'])).to.deep.equal([]);
    expect(await takenBy(cache, ['13'])).to.deep.equal(['13']);
  });

  it('takes nothing that was stored before everything was dropped, as at its start', async () => {
    const cache = cacheOf();
    await store('6', 0);
    expect(await takenBy(cache, ['6'])).to.deep.equal([]);
    now += 5_100;
    await store('6', 0);
    expect(await takenBy(cache, ['6'])).to.deep.equal(['6']);
    cache.drop(['6']);
    cache.dropAll();
    now += 5_100;
    await store('6', 0);
    expect(await takenBy(cache, ['6'])).to.deep.equal(['6']);
  });

  it('takes nothing that was stored before the clock of Redis was set back, and replaces it', async () => {
    const cache = cacheOf();
    now += 100_000;
    // The clock was set back by an hour, so this has an hour and 20 seconds left.
    await store('11', 40_000 - 3_600_000);
    expect(await takenBy(cache, ['11'])).to.deep.equal([]);
    await write(cache, '11');
    expect(await takenBy(cache, ['11'])).to.deep.equal(['11']);
    expect(await stores.redis.pttl(keyOf('11'))).to.be.within(1, 60_000);
  });

  it('holds what it took in memory of its own, not in that of whole replies of Redis', async () => {
    const cache = cacheOf();
    now += 100_000;
    await store('12', 0);
    const found = await cache.read('12');
    if (found.state !== 'hit') throw new Error(found.state);
    const gzip = found.answer.gzip!;
    expect([gzip.toString(), gzip.buffer.byteLength]).to.deep.equal(['zip', 3]);
  });

  it('is of no use while it may miss drops, and from then on takes only what is stored later', async () => {
    const cache = cacheOf();
    now += 60_000;
    await store('7', 0);
    cache.suspend();
    expect(await cache.read('7')).to.deep.equal({ state: 'away' });
    cache.dropAll();
    expect(await cache.read('7')).to.include({ state: 'absent' });
  });

  it('is of no use while Redis is away', async () => {
    const away = createRedis('redis://127.0.0.1:1', { timeoutMs: 1_000 });
    away.on('error', () => undefined);
    failures = 0;
    expect(await cacheOf(away).read('8')).to.deep.equal({ state: 'away' });
    expect(failures).to.equal(1);
    away.disconnect();
  });

  it('lets a process keep an answer in memory no longer than it is in Redis', async () => {
    const cache = cacheOf();
    now += 100_000;
    await store('9', 40_000);
    const collections = stores.mongo.collections;
    const readBody = () => Promise.reject(new Error('MongoDB is not asked'));
    const handle = getServerStats({ ...collections, readBody }, cache);
    const begunAt = performance.now();
    const { cached } = await handle({ params: { serverId: '9' } } as Parameters<typeof handle>[0]);
    expect(cached).to.include({ state: 'HIT' });
    expect(cached!.expiresAt).to.be.within(begunAt + 1, performance.now() + 20_000);
  });
});

/** A client whose commands are done one after the other. After each of them, `work` is done before the next one. */
function afterEachCommand(redis: Redis, work: () => Promise<void>): Redis {
  let last: Promise<unknown> = Promise.resolve();
  return new Proxy(redis, {
    get: (target, name) => {
      const command = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      return (...args: unknown[]) =>
        (last = last.then(async () => {
          const reply = await command.apply(target, args);
          await work();
          return reply;
        }));
    },
  });
}
