import { randomUUID } from 'node:crypto';
import type * as Driver from 'bullmq';
import { expect } from 'chai';
import { Worker } from '../../../shared/drivers/bullmq.js';
import { isJobId } from '../../../shared/jobs/isJobId.js';
import { QUEUE_NAME } from '../../../shared/jobs/jobs.js';
import { createProducer, retryDelay, type QueueProducer } from '../../../shared/jobs/producer.js';
import { createWorkerRedis } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import { startProxy, urlThrough } from '../../support/apiProxy.js';
import { until } from '../../support/apiServer.js';
import { anId } from '../../support/factories.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

/**
 * Longer than a busy machine takes to answer. For as long, the driver also waits for the end of a refused connection,
 * and so does the process.
 */
const TIMEOUT_MS = 20_000;

/** Runs `work` with the producer of a new queue, and with a worker of that queue that begins no job by itself. */
async function withQueue(
  work: (queue: {
    namespace: string;
    producer: QueueProducer;
    worker: Driver.Worker;
  }) => Promise<void>,
): Promise<void> {
  const { REDIS_URL: redisUrl } = readSettings();
  const namespace = `test_producer_${randomUUID()}`;
  const producer = createProducer({ redisUrl, namespace, timeoutMs: TIMEOUT_MS });
  const redis = createWorkerRedis(redisUrl);
  const worker = new Worker(QUEUE_NAME, null, {
    connection: redis,
    prefix: namespace,
    settings: { backoffStrategy: retryDelay },
  });
  try {
    await work({ namespace, producer, worker });
  } finally {
    await worker.close();
    redis.disconnect();
    await producer.queue.obliterate({ force: true });
    await producer.close();
  }
}

describe('createProducer', () => {
  it('joins a job that waits; behind a job that runs, it files one that all callers share', () =>
    withQueue(async ({ producer, worker }) => {
      const ask = () => producer.add('verify', { repair: false });
      const refile = () => producer.refile('verify', { repair: false });
      const begin = () => worker.getNextJob('token');
      const first = await ask();
      expect(await ask()).to.equal(first);
      const running = await begin();
      expect(await refile(), 'while it runs').to.equal(first);
      expect(await producer.counts()).to.include({ waiting: 0, active: 1 });
      const second = await ask();
      expect(second).to.not.equal(first);
      expect(await Promise.all([ask(), ask(), ask()])).to.deep.equal([second, second, second]);
      const runsToo = await begin();
      expect([running.id, runsToo.id]).to.deep.equal([first, second]);
      const third = await ask();
      expect([first, second]).to.not.include(third);
      expect([first, second, third].every(isJobId)).to.equal(true);
      expect(await producer.queue.getJobState(third)).to.equal('waiting');
      for (const job of [running, runsToo]) await job.moveToCompleted(null, 'token', false);
      const last = await begin();
      expect(last.id).to.equal(third);
      await last.moveToCompleted(null, 'token', false);
      const lost = await refile();
      expect([first, second, third]).to.not.include(lost);
      expect(await ask()).to.equal(lost);
      expect(await producer.counts()).to.include({ waiting: 1, active: 0 });
    }));

  it('gives a job that has used up its tries all of them again once somebody has it tried again', () =>
    withQueue(async ({ producer, worker }) => {
      const { queue } = producer;
      await producer.counts();
      const tries = { jobId: 'verify-tried', attempts: 2, backoff: 0 };
      const job = await queue.add('verify', { repair: false }, tries);
      const fail = async () => {
        const running = await worker.getNextJob('token');
        await running.moveToFailed(new Error('A store is away'), 'token', false);
        return job.getState();
      };
      expect(await fail()).to.equal('waiting');
      expect(await fail()).to.equal('failed');
      const failed = await queue.getJob('verify-tried');
      await failed!.retry();
      expect(await fail()).to.equal('waiting');
      expect(await fail()).to.equal('failed');
    }));

  it('does not read all jobs that wait to find the state of one', () =>
    withQueue(async ({ namespace, producer }) => {
      await producer.counts();
      const monitor = await producer.redis.monitor();
      const commands: string[] = [];
      let isOver = false;
      monitor.on('monitor', (_time: string, [command = '', ...args]: string[]) => {
        if (args[0] === `${namespace}:archive:wait`) commands.push(command.toLowerCase());
        if (args[0] === namespace) isOver = true;
      });
      try {
        const id = await producer.add('verify', { repair: false });
        expect(await producer.queue.getJobState(id)).to.equal('waiting');
        await producer.redis.echo(namespace);
        await until(() => isOver);
        expect(commands).to.include('lpos').and.not.include('lrange');
      } finally {
        monitor.disconnect();
      }
    }));

  it('files jobs that keep the stacks of their last three tries only', () =>
    withQueue(async ({ producer, worker }) => {
      for (const file of [
        () => producer.add('verify', { repair: false }),
        () => producer.add('reindex-search', { rebuildId: '1' }),
      ]) {
        const id = await file();
        for (let attempt = 1; attempt <= 5; attempt += 1) {
          const job = await worker.getNextJob('token');
          await job.moveToFailed(new Error(`Attempt ${attempt}`), 'token');
          await job.promote();
        }
        const { stacktrace } = (await producer.queue.getJob(id)) as Driver.Job;
        const told = stacktrace?.map((stack) => stack.split('\n', 1)[0]);
        expect(told).to.deep.equal(['Error: Attempt 3', 'Error: Attempt 4', 'Error: Attempt 5']);
        await producer.queue.remove(id);
      }
    }));

  it('ends delays that a process whose clock was ahead has made, and no others', () =>
    withQueue(async ({ producer, worker }) => {
      const delayed: string[] = [];
      for (const aheadMs of [0, 3_600_000]) {
        const id = await producer.add('delete-thread', { threadId: anId() });
        const job = await worker.getNextJob('token');
        await job.moveToDelayed(Date.now() + aheadMs + 30_000, 'token');
        delayed.push(id);
      }
      await producer.endFarDelays();
      const states = delayed.map((id) => producer.queue.getJobState(id));
      expect(await Promise.all(states)).to.deep.equal(['delayed', 'waiting']);
    }));

  it('ends them also behind many ids whose jobs are lost', () =>
    withQueue(async ({ producer, worker }) => {
      const id = await producer.add('delete-thread', { threadId: anId() });
      const job = await worker.getNextJob('token');
      await job.moveToDelayed(Date.now() + 7_200_000, 'token');
      const { queue, redis } = producer;
      const key = queue.toKey('delayed');
      const sooner = (Date.now() + 3_600_000) * 0x1000;
      const lost = Array.from({ length: 1_000 }, (_, n) => [sooner, `lost-${n}`]);
      await redis.zadd(key, ...lost.flat());
      for (let times = 0; times < 2; times += 1) await producer.endFarDelays();
      expect(await queue.getJobState(id)).to.equal('waiting');
      expect(await redis.zcard(key)).to.equal(0);
    }));

  it('fails with the reason why Redis cannot be reached', async () => {
    const url = new URL(readSettings().REDIS_URL);
    const username = `test_${randomUUID().slice(0, 8)}`;
    const redis = createWorkerRedis(url.href);
    await redis.acl('SETUSER', username, 'on', '>pencil');
    const wrong = Object.assign(new URL(url), { username, password: 'wrong' }).href;
    const why = { 'redis://127.0.0.1:1': 'ECONNREFUSED', [wrong]: 'WRONGPASS' };
    try {
      for (const [redisUrl, reason] of Object.entries(why)) {
        const producer = createProducer({
          redisUrl,
          namespace: 'test_producer',
          timeoutMs: TIMEOUT_MS,
        });
        const calls = [
          producer.counts(),
          producer.workers(),
          producer.add('verify', { repair: false }),
        ];
        for (const call of calls) expect(await rejectionOf(call)).to.contain(reason);
        await producer.close();
      }
    } finally {
      await redis.acl('DELUSER', username);
      redis.disconnect();
    }
  });

  it('files jobs once Redis answers, even if it was away at the start', async () => {
    const { hostname: host, port } = new URL(readSettings().REDIS_URL);
    const proxy = await startProxy({ host, port: Number(port || 6379) });
    await proxy.cut();
    const redisUrl = urlThrough(readSettings().REDIS_URL, proxy);
    const producer = createProducer({
      redisUrl,
      namespace: 'test_producer',
      timeoutMs: TIMEOUT_MS,
    });
    try {
      expect(await rejectionOf(producer.counts())).not.to.equal('');
      await proxy.mend();
      const isBack = (): Promise<boolean> =>
        producer.counts().then(
          ({ waiting }) => waiting === 0,
          () => false,
        );
      await until(isBack);
    } finally {
      await producer.close();
      await proxy.close();
    }
  });
});
