import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { createAdmission, type Admission } from '../../../shared/discordApi/admission.js';
import { PlatformAway } from '../../../shared/discordApi/platformErrors.js';
import { createRedis } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import { until } from '../../support/apiServer.js';

const MOST = 49;
const SECOND_MS = 1_000;

async function msOf(admission: Admission, requestId: string): Promise<number> {
  return (await admission.ask(requestId)).ms;
}

async function fill(admission: Admission): Promise<void> {
  for (let n = 0; n < MOST; n += 1) expect(await msOf(admission, `request ${n}`)).to.equal(0);
}

describe('the limit that all processes share', () => {
  let redis: Redis;
  let namespace: string;

  beforeEach(async () => {
    redis = createRedis(readSettings().REDIS_URL, { timeoutMs: 120_000 });
    redis.on('error', () => undefined);
    await redis.connect();
    namespace = `test_${randomUUID().slice(0, 8)}`;
  });
  afterEach(async () => {
    const keys = await redis.keys(`${namespace}:*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
  });

  /** The time by the clock of Redis (ms). */
  const now = async () => {
    const [seconds, micros] = await redis.time();
    return Number(seconds) * SECOND_MS + Number(micros) / 1_000;
  };

  it('lets 49 requests through at once, from whichever process', async () => {
    const processes = [createAdmission(redis, namespace), createAdmission(redis, namespace)];
    const waits = await Promise.all(
      Array.from({ length: 200 }, (_, n) => msOf(processes[n % 2]!, `request ${n}`)),
    );
    expect(waits.filter((ms) => ms === 0)).to.have.length(MOST);
    for (const ms of waits) expect(ms).to.be.within(0, SECOND_MS + 1);
  });

  it('lets the next one through a second after an answer, and not before', async () => {
    const admission = createAdmission(redis, namespace);
    await fill(admission);
    // Only this clock counts. It may be set while this process sees no time pass.
    const answered = await now();
    await admission.answered('request 7');
    await until(async () => (await msOf(admission, 'another')) === 0);
    expect((await now()) - answered).to.be.at.least(SECOND_MS);
    expect(await msOf(admission, 'a third')).to.be.above(0);
  });

  it('frees the place of a request without an answer after a minute', async () => {
    const admission = createAdmission(redis, namespace);
    await fill(admission);
    const key = `${namespace}:platform:requests`;
    await redis.zincrby(key, -30_000, 'request 7');
    expect(await msOf(admission, 'another')).to.be.above(0);
    await redis.zincrby(key, -30_000, 'request 7');
    expect(await msOf(admission, 'another')).to.equal(0);
    // The late answer changes nothing.
    await admission.answered('request 7');
    expect(await redis.zcard(key)).to.equal(MOST);
  });

  it('frees places that were taken before the clock was set back', async () => {
    const admission = createAdmission(redis, namespace);
    await fill(admission);
    const key = `${namespace}:platform:requests`;
    for (let n = 0; n < MOST; n += 1) await redis.zincrby(key, 3_600_000, `request ${n}`);
    expect(await msOf(admission, 'another')).to.equal(0);
  });

  it('fails as if the platform were away while Redis cannot count', async () => {
    await redis.set(`${namespace}:platform:requests`, 'no set');
    const error = await createAdmission(redis, namespace)
      .ask('request')
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(PlatformAway);
    expect((error as Error).message).to.match(/^Redis does not count requests: /);
  });

  it('lets nothing through during a stop, for the longest time that was told', async () => {
    const admission = createAdmission(redis, namespace);
    await admission.stop(600_000, 'A block');
    await admission.stop(1_000, 'A limit');
    const { ms, why } = await createAdmission(redis, namespace).ask('request');
    expect(ms).to.be.within(400_000, 600_000);
    expect(why).to.equal('A block');
  });

  it('lets nothing through after a tenth of the invalid requests that lead to a ban', async () => {
    const admission = createAdmission(redis, namespace);
    for (let n = 1; n < 1_000; n += 1) await admission.countInvalid();
    expect(await msOf(admission, 'request')).to.equal(0);
    await admission.countInvalid();
    const { ms, why } = await admission.ask('request');
    expect(ms).to.be.within(1, 600_000);
    expect(why).to.contain('refused 1,000 requests');
  });

  it('is separate for each archive on the same Redis', async () => {
    await createAdmission(redis, `${namespace}:other`).stop(600_000, 'A block');
    expect(await msOf(createAdmission(redis, namespace), 'request')).to.equal(0);
  });
});
