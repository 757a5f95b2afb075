import { mock } from 'node:test';
import { expect } from 'chai';
import type { Job } from 'bullmq';
import { pino } from 'pino';
import type { Handlers } from '../../../services/indexer/handlers.js';
import { LookAgain, PayloadError } from '../../../services/indexer/permanentErrors.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { ProcessStops } from '../../../services/indexer/work/commit.js';
import { createWorker } from '../../../services/indexer/worker.js';
import { Worker } from '../../../shared/drivers/bullmq.js';
import { createProducer, type QueueProducer } from '../../../shared/jobs/producer.js';
import { createWorkerRedis } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { until, untilEqual } from '../../support/apiServer.js';
import { refusedInsert } from '../../support/refusedInsert.js';
import { openStores, type TestStores } from '../../support/stores.js';

describe('the worker', () => {
  let stores: TestStores;
  let producer: QueueProducer;
  const { REDIS_URL } = readSettings();

  before(async () => {
    stores = await openStores();
    producer = createProducer({
      redisUrl: REDIS_URL,
      namespace: stores.mongo.namespace,
      timeoutMs: 120_000,
    });
  });
  after(async () => {
    await producer.close();
    await stores.close();
  });

  const jobs: Partial<Handlers> = {};
  /** How long the jobs took (s). */
  const took: number[] = [];
  /** Works until each of the jobs has ended, and others are gone. */
  async function work(
    ids: string[],
    { gone = [], logger = stores.logger }: { gone?: string[]; logger?: Logger } = {},
  ): Promise<Job[]> {
    const redis = createWorkerRedis(REDIS_URL);
    const worker = createWorker(redis, {
      namespace: stores.mongo.namespace,
      concurrency: 4,
      handlers: jobs as Handlers,
      gate: { open: () => Promise.resolve(), suspect: () => undefined },
      metrics: { observeJob: (_name, _outcome, seconds) => void took.push(seconds) },
      logger,
    });
    const all = () => Promise.all(ids.map(async (id) => (await producer.queue.getJob(id)) as Job));
    await until(async () => (await all()).every(({ finishedOn }) => finishedOn));
    const left = () => Promise.all(gone.map((id) => producer.queue.getJob(id)));
    await until(async () => (await left()).every((job) => job === undefined));
    const ended = await all();
    await worker.stop();
    redis.disconnect();
    return ended;
  }

  it('tries again a job that failed for a transient reason, and not one that will always fail', async () => {
    let tries = 0;
    jobs['delete-thread'] = () => {
      tries += 1;
      return tries < 3 ? Promise.reject(new Error('away')) : Promise.resolve({ tries });
    };
    jobs['delete-channel'] = () => Promise.reject(new PayloadError('No such thing'));
    const ids = [
      await producer.add('delete-thread', { threadId: '1' }),
      await producer.add('delete-channel', { channelId: '1' }),
      (await producer.queue.add('unheard-of', {})).id!,
    ];
    const [transient, permanent, unknown] = await work(ids);
    expect(transient!.returnvalue).to.deep.equal({ tries: 3 });
    expect(permanent).to.include({ attemptsMade: 1, failedReason: 'No such thing' });
    expect(unknown).to.include({ attemptsMade: 1 });
    expect(unknown!.failedReason).to.contain('unheard-of');
  });

  it('tells how far a job has come and how long it took, even where the clock of the machine is set back', async () => {
    const id = await producer.add('delete-thread', { threadId: '1' });
    const progress = async () => (await producer.queue.getJob(id))!.progress;
    const real = Date.now;
    jobs['delete-thread'] = async (_data, report = REPORT_NOBODY) => {
      report(1, 3);
      await untilEqual(progress, { done: 1, total: 3 });
      mock.method(Date, 'now', () => real() - 3_600_000);
      await untilEqual(
        () => {
          report(2, 3);
          return progress();
        },
        { done: 2, total: 3 },
      );
    };
    took.length = 0;
    try {
      await work([id]);
    } finally {
      mock.restoreAll();
    }
    expect(took).to.have.length(1);
    expect(took[0]).to.be.least(0);
  });

  it('gives a job that ends as the process stops back to the queue, and logs nothing', async () => {
    const lines: string[] = [];
    let isFirst = true;
    jobs['delete-thread'] = () => {
      if (!isFirst) return Promise.resolve();
      isFirst = false;
      return Promise.reject(new ProcessStops());
    };
    const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const id = await producer.add('delete-thread', { threadId: '4' });
    const [job] = await work([id], { logger });
    expect(job).to.include({ attemptsMade: 1, delay: 0 });
    expect(lines).to.deep.equal([]);
  });

  it('logs only the name of a command that MongoDB refused', async () => {
    let isRefused = true;
    jobs['delete-thread'] = () => {
      if (!isRefused) return Promise.resolve();
      isRefused = false;
      return Promise.reject(refusedInsert());
    };
    const id = await producer.add('delete-thread', { threadId: '2' });
    const [job] = await work([id]);
    const kept = JSON.stringify(job!.toJSON());
    expect(kept).to.contain('to execute command insert').and.contain('at refusedInsert');
    expect(kept).to.not.match(/2fc5|planted/);
  });

  it('tells of a running job whose lock was lost, and of none that has just been put off', async () => {
    const lines: string[] = [];
    const notRenewed = new Set<string>();
    const { prototype } = Worker;
    const emit = Reflect.get(prototype, 'emit') as (...args: unknown[]) => boolean;
    mock.method(prototype, 'emit', function noteLocks(this: Worker, ...args: unknown[]) {
      if (args[0] === 'lockRenewalFailed') for (const id of args[1] as string[]) notRenewed.add(id);
      return emit.apply(this, args);
    });
    const lost = await producer.add('delete-thread', { threadId: '3' });
    const putOff = await producer.add('delete-channel', { channelId: '3' });
    const job = (await producer.queue.getJob(putOff)) as Job;
    const jobClass = Object.getPrototypeOf(job) as Job;
    const moveToDelayed = Reflect.get(jobClass, 'moveToDelayed');
    mock.method(jobClass, 'moveToDelayed', async function moveLate(this: Job, ...args: [number]) {
      await moveToDelayed.apply(this, args);
      await until(() => notRenewed.has(putOff));
      await this.promote();
    });
    jobs['delete-thread'] = async () => {
      const lock = `${producer.queue.toKey(lost)}:lock`;
      const redis = createWorkerRedis(REDIS_URL);
      const token = (await redis.get(lock))!;
      await redis.set(lock, 'of another indexer');
      await until(() => notRenewed.has(lost));
      await redis.set(lock, token);
      redis.disconnect();
    };
    let isFirst = true;
    jobs['delete-channel'] = () => {
      if (!isFirst) return Promise.resolve();
      isFirst = false;
      return Promise.reject(new LookAgain(60_000));
    };
    try {
      const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
      await work([lost, putOff], { logger });
    } finally {
      mock.restoreAll();
    }
    expect(lines).to.have.length(1);
    expect(JSON.parse(lines[0]!)).to.deep.include({ jobs: [lost] });
    expect(lines[0]).to.contain('Locks of jobs were lost');
  });

  it('keeps a bounded number of ended jobs, and tries for hours', async () => {
    const id = await producer.add('delete-message', { messageId: '1' });
    const { opts } = (await producer.queue.getJob(id)) as Job;
    expect(opts.attempts).to.be.at.least(500);
    expect(opts.removeOnComplete).to.deep.equal({ count: 1_000, age: 86_400 });
    expect(opts.removeOnFail).to.deep.equal({ count: 5_000, age: 14 * 86_400 });
  });

  it('keeps no ended job of a file, so that others are not pushed out and it can be filed again', async () => {
    jobs['import-file'] = (payload) =>
      (payload as { uploadId: string }).uploadId === 'wrong'
        ? Promise.reject(new PayloadError('wrong'))
        : Promise.resolve();
    jobs['refresh-stats'] = () => Promise.resolve();
    const other = await producer.add('refresh-stats', { serverId: '1' });
    const files = ['right', 'wrong'].map((uploadId) => ({ uploadId, importId: 'i' }));
    const ids = await Promise.all(files.map((file) => producer.add('import-file', file)));
    await work([other], { gone: ids });
    await producer.add('import-file', files[1]!);
    expect(await producer.queue.getJobState(ids[1]!)).to.equal('waiting');
  });
});
