import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { createAdmission } from '../../../shared/discordApi/admission.js';
import { createRedis } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';

const MOST = 49;
const WITHIN_MS = 1_040;

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

  it('lets 49 requests through in any 1.04 seconds, whoever asks', async () => {
    const processes = [createAdmission(redis, namespace), createAdmission(redis, namespace)];
    const started = performance.now();
    const waits = await Promise.all(Array.from({ length: 200 }, (_, n) => processes[n % 2]!.ask()));
    const windows = 1 + Math.floor((performance.now() - started) / WITHIN_MS);
    expect(waits.filter((ms) => ms === 0)).to.have.length.within(MOST, MOST * windows);
    for (const ms of waits) expect(ms).to.be.within(0, WITHIN_MS);
  });

  it('lets nothing through while all is stopped, for the longest time that was told', async () => {
    const admission = createAdmission(redis, namespace);
    await admission.stop(600_000);
    await admission.stop(1_000);
    expect(await createAdmission(redis, namespace).ask()).to.be.within(400_000, 600_000);
  });

  it('lets nothing through after a tenth of the invalid requests that lead to a ban', async () => {
    const admission = createAdmission(redis, namespace);
    for (let n = 1; n < 1_000; n += 1) await admission.countInvalid();
    expect(await admission.ask()).to.equal(0);
    await admission.countInvalid();
    expect(await admission.ask()).to.be.within(1, 600_000);
  });

  it('is of one archive: another that shares the server has its own', async () => {
    await createAdmission(redis, `${namespace}:other`).stop(600_000);
    expect(await createAdmission(redis, namespace).ask()).to.equal(0);
  });
});
