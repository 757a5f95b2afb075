import { gunzipSync, gzipSync } from 'node:zlib';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { importExport } from '../../../services/api/admin/importExport.js';
import { retryJob } from '../../../services/api/admin/jobs.js';
import {
  adminJobSchema,
  type AdminJob,
  type AdminStats,
  type QueuedJob,
} from '../../../shared/contract/admin.js';
import { UnrecoverableError, Worker } from '../../../shared/drivers/bullmq.js';
import { QUEUE_NAME, type JobName, type JobPayloads } from '../../../shared/jobs/jobs.js';
import {
  createProducer,
  type Producer,
  type QueueProducer,
} from '../../../shared/jobs/producer.js';
import { createWorkerRedis } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import { stateOf, type SearchRebuild } from '../../../shared/store/state.js';
import { newUploadId } from '../../../shared/store/uploads.js';
import { until, untilEqual, type Reply } from '../../support/apiServer.js';
import { startAuth, type AuthServer } from '../../support/authServer.js';
import { anExport, anExportMessage } from '../../support/exportFiles.js';
import { redisTraces } from '../../support/everyTrace.js';
import { storeBody } from '../../support/apiViews.js';
import { anId, aServer, aThread } from '../../support/factories.js';
import { PATIENCE_MS } from '../../support/patientElasticsearch.js';
import { failureOf } from '../../../shared/store/quarantine.js';
import { markId, NEVER, type Mark } from '../../../shared/store/work.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const PRIVATE_WORDS = 'whispered';

describe('admin', () => {
  let api: AuthServer;
  let as: Record<'read' | 'write' | 'admin', { 'X-API-Key': string }>;
  const store = () => api.stores.mongo.collections;

  before(async () => {
    api = await startAuth();
    const key = async (level: 'read' | 'write' | 'admin') => ({
      'X-API-Key': await api.key(level),
    });
    as = { read: await key('read'), write: await key('write'), admin: await key('admin') };
  });
  after(async () => {
    const keys = await api.stores.redis.keys(`${api.stores.mongo.namespace}:*`);
    if (keys.length > 0) await api.stores.redis.del(keys);
    await api.close();
  });

  const queued = (reply: Reply): QueuedJob => {
    expect(reply.status, reply.body.toString()).to.equal(202);
    return reply.json() as QueuedJob;
  };
  const upload = (body: unknown, headers: Record<string, string> = JSON_TYPE) =>
    api.send(
      'POST',
      '/admin/import',
      { ...as.write, ...headers },
      Buffer.isBuffer(body) ? body : JSON.stringify(body),
    );

  it('files a deletion once while it waits, tells its state, and answers 404 for what never existed', async () => {
    const thread = aThread();
    await store().threads.insertOne(thread);
    const first = queued(await api.send('DELETE', `/admin/threads/${thread._id}`, as.admin));
    const second = queued(await api.send('DELETE', `/admin/threads/${thread._id}`, as.admin));
    expect(second.jobId).to.equal(first.jobId);
    expect(first).to.include({ status: 'queued', statusUrl: `/admin/jobs/${first.jobId}` });
    const job = (await api.get(first.statusUrl, as.write)).json() as AdminJob;
    expect(job).to.include({ jobId: first.jobId, name: 'delete-thread', state: 'queued' });
    const { jobs } = (await api.get('/admin/jobs?state=queued', as.write)).json() as {
      jobs: AdminJob[];
    };
    expect(jobs.map(({ jobId }) => jobId)).to.include(first.jobId);
    const remembered = await store()
      .deletions.find({}, { projection: { requestedAt: 0 } })
      .toArray();
    const { _id: subject } = thread;
    expect(remembered).to.deep.equal([{ _id: `thread-${subject}`, kind: 'thread', subject }]);
    for (const kind of ['threads', 'channels', 'servers', 'messages']) {
      const absent = await api.send('DELETE', `/admin/${kind}/${anId()}`, as.admin);
      expect(absent.status, kind).to.equal(404);
    }
    expect((await api.get('/admin/jobs/nothing', as.write)).status).to.equal(404);
    const retry = await api.send('POST', `${first.statusUrl}/retry`, as.write);
    expect(retry.status).to.equal(409);
  });

  describe('the jobs of the queue', () => {
    let producer: QueueProducer;
    before(() => {
      const { REDIS_URL: redisUrl } = readSettings();
      producer = createProducer({
        redisUrl,
        namespace: api.stores.mongo.namespace,
        timeoutMs: 120_000,
      });
    });
    after(() => producer.close());

    const PAYLOADS: { [Name in JobName]: JobPayloads[Name] } = {
      'delete-thread': { threadId: '1' },
      'delete-channel': { channelId: '1' },
      'delete-server': { serverId: '1' },
      'delete-message': { messageId: '1' },
      'erase-user': { erasureId: '1' },
      'reindex-views': {},
      'refresh-stats': { serverId: '1' },
      'retry-quarantined': { quarantineId: 'thread-1' },
      'import-file': { uploadId: '1', importId: '1' },
      'reindex-search': { rebuildId: '1' },
      sync: { requestId: '1' },
      verify: { repair: false },
    };

    it('are listed, whatever they do, and nothing else that is in Redis', async () => {
      const jobs = new Set<string>();
      for (const [name, payload] of Object.entries(PAYLOADS)) {
        jobs.add(await producer.add(name as JobName, payload));
      }
      const { redis, mongo } = api.stores;
      const prefix = `${mongo.namespace}:${QUEUE_NAME}:`;
      await redis.set(`${prefix}${[...jobs][0]}:lock`, 'held');
      const stored = (await redis.keys(`${prefix}*`)).map((key) => key.slice(prefix.length));
      expect(stored).to.include.members([...jobs, 'meta', 'id', 'events', 'wait']);
      for (const id of jobs) {
        const reply = await api.get(`/admin/jobs/${id}`, as.write);
        expect(reply.status, id).to.equal(200);
        expect(adminJobSchema.validate(reply.json()).error, id).to.equal(undefined);
      }
      for (const id of ['active', 'failed', ...stored]) {
        if (/^[\w-]+$/.test(id) && (await redis.type(prefix + id)) === 'hash' && id !== 'meta')
          continue;
        expect((await api.get(`/admin/jobs/${id}`, as.write)).status, id).to.equal(404);
        const retry = await api.send('POST', `/admin/jobs/${id}/retry`, as.write);
        expect(retry.status, id).to.equal(404);
      }
    });

    it('are tried again once, however often that is requested at the same time', async () => {
      const connection = createWorkerRedis(readSettings().REDIS_URL);
      const prefix = api.stores.mongo.namespace;
      const fail = () => Promise.reject(new UnrecoverableError('Failed'));
      const worker = new Worker(QUEUE_NAME, fail, { connection, prefix });
      const jobId = await producer.add('refresh-stats', { serverId: '2' });
      const job = (await producer.queue.getJob(jobId))!;
      await until(() => job.isFailed());
      await worker.close();
      connection.disconnect();
      const list = async (query: string) => {
        const reply = await api.get(`/admin/jobs?${query}`, as.write);
        return (reply.json() as { jobs: { jobId: string; state: string; queuedAt: string }[] })
          .jobs;
      };
      const long = { jobId: 'long-ago', timestamp: 1 };
      const old = await producer.queue.add('verify', { repair: false }, long);
      const failed = await list('state=failed');
      expect(failed.map((one) => one.jobId)).to.include(jobId);
      expect(new Set(failed.map(({ state }) => state))).to.deep.equal(new Set(['failed']));
      // Any failed job may be shown, because several may have ended in the same millisecond.
      const newest = await list('limit=1');
      expect(newest.map(({ state }) => state)).to.deep.equal(['failed']);
      const times = (await list('limit=100')).map(({ queuedAt }) => queuedAt);
      expect(times).to.have.length.above(3).and.to.deep.equal(times.toSorted().toReversed());
      await old.remove();
      const retry = retryJob({ collections: store(), producer, callMs: PATIENCE_MS });
      const ask = () => retry({ params: { jobId } } as Parameters<typeof retry>[0]);
      const [first, ...others] = await Promise.allSettled([ask(), ask(), ask()]);
      expect(first.status).to.equal('fulfilled');
      for (const other of others) {
        expect(other).to.have.nested.property('reason.code', 'CONFLICT');
      }
      expect(await job.getState()).to.equal('waiting');
    });

    it('tell how far they are, and when they have ended, what they have counted', async () => {
      const jobId = await producer.add('refresh-stats', { serverId: '3' });
      const told = async () => (await api.get(`/admin/jobs/${jobId}`, as.write)).json() as AdminJob;
      const job = (await producer.queue.getJob(jobId))!;
      const waiting = { state: 'queued', error: null, attempts: 0, finishedAt: null };
      expect(await told()).to.deep.include({ ...waiting, progress: 0, counts: {} });
      // More may be found while a job runs.
      await job.updateProgress({ done: 5, total: 4 });
      expect(await told()).to.include({ progress: 1 });
      await job.updateProgress({ done: 1, total: 4 });
      const counts = { done: 1, total: 4 };
      expect(await told()).to.deep.include({ ...waiting, progress: 0.25, counts });
      let tries = 0;
      const connection = createWorkerRedis(readSettings().REDIS_URL);
      const worker = new Worker(
        QUEUE_NAME,
        ({ id }) => {
          if (id === jobId && (tries += 1) === 1) throw new Error('Not at the first try');
          return Promise.resolve({ threads: 2, note: 'none' });
        },
        {
          connection,
          prefix: api.stores.mongo.namespace,
          settings: { backoffStrategy: () => 0 },
        },
      );
      await until(() => job.isCompleted());
      await worker.close();
      connection.disconnect();
      const { finishedAt, ...done } = await told();
      expect(finishedAt).to.be.a('string');
      expect(done).to.deep.include({ state: 'done', progress: 1, error: null, attempts: 2 });
      expect(done.counts).to.deep.equal({ ...counts, threads: 2 });
    });

    it('tell how far a rebuild of the search index is by its record', async () => {
      const now = new Date();
      const rebuild: SearchRebuild = {
        id: 'r',
        state: 'running',
        phase: 'scan',
        requestedAt: now,
        beatAt: now,
        cursor: '1',
        threads: 1,
        totalThreads: 9,
        documents: 1,
        mended: 0,
      };
      await stateOf(store().state, 'search').updateOne(
        { _id: 'search' },
        { $set: { rebuild } },
        { upsert: true },
      );
      const jobId = await producer.add('reindex-search', { rebuildId: 'r' });
      const job = (await api.get(`/admin/jobs/${jobId}`, as.write)).json() as AdminJob;
      expect(job).to.include({ state: 'queued', progress: 0.1 });
    });
  });

  it('keeps the id of an erased person neither in the queue nor in the audit trail', async () => {
    const userId = '777777777777777709';
    const { jobId } = queued(await api.send('DELETE', `/admin/users/${userId}`, as.admin));
    expect(jobId).to.not.contain(userId);
    const trail = await api.get('/admin/audit?limit=1', as.admin);
    expect(trail.body.toString()).to.contain('"eraseUser"').and.not.contain(userId);
    expect(await store().erasures.countDocuments({ userId })).to.equal(1);
    for (const text of await redisTraces(api.stores)) expect(text).to.not.contain(userId);
    for (const wrong of ['12', '7'.repeat(21), 'x'.repeat(18)]) {
      expect((await api.send('DELETE', `/admin/users/${wrong}`, as.admin)).status).to.equal(400);
    }
  });

  it('files rebuilds, and refuses a second one of the search index', async () => {
    const ask = (target: string) =>
      api.send('POST', '/admin/reindex', { ...as.write, ...JSON_TYPE }, { target });
    const jobsOf = async (target: string) =>
      (queued(await ask(target)) as QueuedJob & { jobs: QueuedJob[] }).jobs;
    const [search, ...others] = await jobsOf('search');
    expect(others).to.deep.equal([]);
    expect((await ask('all')).status).to.equal(409);
    await stateOf(store().state, 'search').updateOne(
      { _id: 'search' },
      { $unset: { rebuild: '' } },
    );
    const [another, views] = await jobsOf('all');
    expect(new Set([search, another, views].map((job) => job!.jobId)).size).to.equal(3);
    expect((await ask('search')).status).to.equal(409);
    expect((await ask('everything')).status).to.equal(400);
    expect(await jobsOf('views')).to.deep.equal([views]);
  });

  it('files a verification, one for each way of verifying while it waits', async () => {
    const ask = (body?: object) =>
      api.send('POST', '/admin/verify', { ...as.write, ...(body && JSON_TYPE) }, body);
    const { jobId } = queued(await ask());
    expect(queued(await ask({ repair: false })).jobId).to.equal(jobId);
    const repairing = queued(await ask({ repair: true })).jobId;
    expect(repairing).to.not.equal(jobId);
    expect(queued(await ask({ repair: true })).jobId).to.equal(repairing);
    expect(queued(await ask({ repair: true })).jobId).to.not.equal(jobId);
    for (const wrong of [{ repair: 'yes' }, { more: 1 }]) {
      expect((await ask(wrong)).status, JSON.stringify(wrong)).to.equal(400);
    }
    const job = (await api.get(`/admin/jobs/${jobId}`, as.write)).json() as AdminJob;
    expect(job).to.include({ name: 'verify', state: 'queued' });
  });

  it('checks the place of a sync before it answers that no sync is configured', async () => {
    const ask = (body: object) =>
      api.send('POST', '/admin/sync', { ...as.write, ...JSON_TYPE }, body);
    expect((await ask({ serverId: anId() })).json()).to.include({ code: 'NOT_CONFIGURED' });
    expect((await ask({ serverId: anId(), threadId: anId() })).json()).to.include({
      error: 'body must name only one of serverId, channelId and threadId',
    });
    expect((await ask({ serverId: 'x' })).json()).to.include({
      error: 'serverId must be an id of 17 to 20 digits',
    });
    expect((await api.send('POST', '/admin/sync', as.write)).status).to.equal(503);
  });

  /** On a busy machine a store may be too slow to tell its part. So tests ask for a part again until it is told. */
  const stats = async () => (await api.get('/admin/stats', as.read)).json() as AdminStats;

  it('counts a server anew only while it is there', async () => {
    const [server, gone] = [aServer(), aServer({ deleted: true })];
    await store().servers.insertMany([server, gone]);
    const ask = (serverId: string) =>
      api.send('POST', `/admin/servers/${serverId}/stats/refresh`, as.write);
    queued(await ask(server._id));
    for (const serverId of [gone._id, anId()]) {
      expect((await ask(serverId)).status, serverId).to.equal(404);
    }
    await store().servers.deleteMany({ _id: { $in: [server._id, gone._id] } });
  });

  it('tells totals, freshness, the queue and the cache', async () => {
    const told = async () => {
      const { stores, queue, views } = await stats();
      return [stores.mongodb, stores.redis, (queue?.waiting ?? 0) > 0, views];
    };
    const views = { pending: 0, oldestPendingSeconds: null, dirty: 0, quarantined: 0 };
    await untilEqual(told, ['up', 'up', true, views]);
    // The first of these finds nothing in the cache.
    for (let n = 0; n < 4; n += 1) await api.get('/api/servers/1');
    const { hits, misses, hitRate } = (await stats()).cache;
    expect(hits).to.be.above(misses);
    expect(hitRate).to.be.closeTo(hits / (hits + misses), 0.001);
  });

  it('adds up what readers see of each server, and tells the rest where that fails', async () => {
    const { servers } = store();
    const statsOf = (channels: number, threads: number, messages: number, unique: number) => ({
      stats: {
        channels,
        threads: { total: threads },
        messages: { total: messages },
        participants: { unique },
      },
    });
    const ids = ['801', '802', '803', '804'];
    const records = ids.map((_id) => aServer({ _id, deleted: _id === '803' }));
    await servers.insertMany(records);
    await storeBody(store(), 'stats/801', statsOf(1, 10, 100, 5));
    await storeBody(store(), 'stats/802', statsOf(2, 20, 200, 6));
    await storeBody(store(), 'stats/803', statsOf(4, 40, 400, 7));
    const archive = async () => (await stats()).archive;
    const counted = { servers: 3, channels: 3, threads: 30, messages: 300, users: 11 };
    await untilEqual(archive, counted);
    // Threads are listed, and there is no index.
    await until(async () => /^It is lost/.test((await stats()).search.problem ?? ''));
    await storeBody(store(), 'stats/804', { damaged: true });
    const unknown = { channels: null, threads: null, messages: null, users: null };
    await untilEqual(archive, { ...counted, ...unknown });
    await servers.deleteMany({ _id: { $in: ids } });
  });

  it('counts threads, people and servers that are still to be built, but none that is quarantined', async () => {
    const { work } = store();
    const at = new Date(Date.now() - 3_600_000);
    const kinds = ['thread', 'person', 'server', 'links'] as const;
    const marks = kinds.flatMap((kind) =>
      [at, NEVER].map((due): Mark => {
        const subject = `waits-${due.getTime()}`;
        return { _id: markId(kind, subject), kind, subject, token: 'x', at, due };
      }),
    );
    await work.insertMany(marks);
    const views = async () => (await stats()).views;
    await untilEqual(
      async () => {
        const { pending, dirty, quarantined } = await views();
        return { pending, dirty, quarantined };
      },
      { pending: 1, dirty: 2, quarantined: 0 },
    );
    await until(async () => ((await views()).oldestPendingSeconds ?? 0) >= 3_600);
    await work.deleteMany({ _id: { $in: marks.map(({ _id }) => _id) } });
  });

  it('lists what is quarantined, by pages, counts it, and files another try', async () => {
    const at = new Date();
    const mark = (n: number): Mark => {
      const about = { kind: 'thread' as const, subject: `${n}` };
      const failed = { reason: 'It failed', count: 5, revision: 0, threadId: `${n}` };
      const failure = failureOf(undefined, { ...about, ...failed }, at);
      return { ...about, _id: `thread/${n}`, token: 'x', at, due: NEVER, failure };
    };
    const other = (kind: 'member' | 'mirror', subject: string): Mark => {
      const _id = markId(kind, subject);
      const failed = { reason: 'It failed', count: 5, revision: 0, threadId: null };
      const failure = failureOf(undefined, { kind: 'work', subject: _id, ...failed }, at);
      return { _id, kind, subject, token: 'x', at, due: NEVER, failure };
    };
    const others = [other('member', `${anId()}/${anId()}`), other('mirror', `user/${anId()}`)];
    await store().work.insertMany([...[1, 2, 3].map(mark), ...others]);
    interface Page {
      entries: { id: string }[];
      nextCursor: string | null;
    }
    const page = (cursor = '') =>
      api.get(`/admin/quarantine?limit=2${cursor && `&cursor=${cursor}`}`, as.write);
    const first = (await page()).json() as Page;
    expect(first.entries[0]).to.deep.equal({
      id: 'thread-1',
      kind: 'thread',
      subject: '1',
      threadId: '1',
      reason: 'It failed',
      count: 5,
      firstAt: at.toISOString(),
      lastAt: at.toISOString(),
    });
    const second = (await page(first.nextCursor!)).json() as Page;
    const third = (await page(second.nextCursor!)).json() as Page;
    const sizes = [first, second, third].map(({ entries }) => entries.length);
    expect(sizes).to.deep.equal([2, 2, 1]);
    expect(third.nextCursor).to.equal(null);
    expect((await page('x')).status).to.equal(400);
    await untilEqual(async () => (await stats()).views.quarantined, 5);
    const retry = (id: string) => api.send('POST', `/admin/quarantine/${id}/retry`, as.write);
    const { statusUrl } = queued(await retry('thread-2'));
    const job = (await api.get(statusUrl, as.write)).json() as AdminJob;
    expect(job).to.include({ name: 'retry-quarantined', state: 'queued' });
    const again = queued(await retry(third.entries[0]!.id));
    expect((await api.get(again.statusUrl, as.write)).json()).to.include({ state: 'queued' });
    expect((await retry('thread-9')).status).to.equal(404);
  });

  it('records who did what, refusals included, and lists it newest first in pages', async () => {
    const denied = await api.send('DELETE', `/admin/threads/${anId()}`, as.read);
    expect(denied.status).to.equal(403);
    interface Page {
      entries: { operation: string; outcome: string; caller: { kind: string; id: string } }[];
      nextCursor: string;
    }
    const page = (await api.get('/admin/audit?limit=1', as.admin)).json() as Page;
    expect(page.entries[0]).to.deep.include({ operation: 'deleteThread', outcome: 'FORBIDDEN' });
    expect(page.entries[0]!.caller.kind).to.equal('key');
    const next = (
      await api.get(`/admin/audit?limit=1&cursor=${page.nextCursor}`, as.admin)
    ).json() as Page;
    expect(next.entries[0]).to.not.deep.equal(page.entries[0]);
    expect((await api.get('/admin/audit?cursor=x', as.admin)).status).to.equal(400);
    const everything = JSON.stringify(await store().audit.find().toArray());
    for (const { 'X-API-Key': key } of Object.values(as)) {
      expect(everything).to.not.contain(key.split('_').at(-1));
    }
  });

  it('keeps no read, and does what it was asked for though that cannot be kept', async () => {
    const { db } = api.stores.mongo;
    await api.send('DELETE', '/admin/keys/unknown', as.admin);
    const before = await store().audit.countDocuments();
    expect(before).to.be.above(0);
    for (const method of ['GET', 'HEAD']) {
      expect((await api.send(method, '/admin/keys', as.admin)).status).to.equal(200);
    }
    await db.command({ collMod: 'audit', validator: { at: 'never' } });
    const key = { name: 'x', level: 'read' };
    const reply = await api.send('POST', '/admin/keys', as.admin, key);
    await db.command({ collMod: 'audit', validator: {} });
    expect(reply.status).to.be.within(200, 201);
    expect(await store().audit.countDocuments()).to.equal(before);
    const told = api.log.filter(({ msg }) => msg === 'An audit entry was not stored');
    expect(told.map(({ operation }) => operation)).to.deep.equal(['createKey']);
  });

  describe('import', () => {
    const chunks = () => store().pieces.countDocuments();

    it('stores and queues a file, and reports its outcome', async () => {
      const reply = queued(await upload(anExport()));
      const { files } = reply as QueuedJob & { files: { state: string }[] };
      expect(files.map(({ state }) => state)).to.deep.equal(['queued']);
      const before = (await api.get(reply.statusUrl, as.write)).json() as AdminJob;
      expect(before).to.include({ state: 'queued', progress: 0 });
      await store().importFiles.updateMany(
        { state: 'queued' },
        { $set: { state: 'imported', messages: 3, finishedAt: new Date() } },
      );
      const after = (await api.get(reply.statusUrl, as.write)).json() as AdminJob;
      expect(after).to.deep.include({ state: 'done', progress: 1 });
      expect(after.counts).to.include({ files: 1, imported: 1, messages: 3 });
      for (const job of [before, after]) {
        expect(adminJobSchema.validate(job).error).to.equal(undefined);
      }
    });

    it('counts every file of a large import, and ends it only once all are read', async () => {
      const importId = newUploadId();
      const at = new Date();
      const entry = (n: number, state: 'imported' | 'queued', finishedAt: Date) => ({
        _id: `${importId}${String(n).padStart(4, '0')}`,
        importId,
        name: `${n}`,
        bytes: 1,
        state,
        messages: 2,
        queuedAt: at,
        finishedAt,
      });
      const last = new Date(at.getTime() + 60_000);
      const files = Array.from({ length: 1_200 }, (_, n) =>
        entry(n, n < 1_100 ? 'imported' : 'queued', n < 1_100 ? at : last),
      );
      const record = { _id: importId, createdAt: at, files: 1_201 };
      await store().imports.insertOne(record);
      const told = async () =>
        (await api.get(`/admin/jobs/imports-${importId}`, as.write)).json() as AdminJob;
      expect(await told()).to.include({ state: 'queued', progress: 0, finishedAt: null });
      await store().importFiles.insertMany(files);
      const midway = await told();
      expect(midway).to.deep.include({
        state: 'active',
        progress: 1_100 / 1_201,
        finishedAt: null,
      });
      expect(midway.counts).to.include({ files: 1_200, imported: 1_100, messages: 2_400 });
      expect(midway.files).to.have.length(1_000);
      await store().importFiles.updateMany({ importId }, { $set: { state: 'imported' } });
      expect(await told()).to.include({ state: 'active', progress: 0.99, finishedAt: null });
      await store().imports.updateOne({ _id: importId }, { $set: { files: 1_200 } });
      const done = { state: 'done', progress: 1, finishedAt: last.toISOString() };
      expect(await told()).to.include(done);
    });

    it('counts the files of an import in an index, and reads no file of another import', async () => {
      const { db } = api.stores.mongo;
      const [earlier, importId] = [newUploadId(), newUploadId()];
      const at = new Date();
      const file = (ofImport: string, n: number) => ({
        _id: `${ofImport}${String(n).padStart(4, '0')}`,
        importId: ofImport,
        bytes: 1,
        state: n % 2 ? ('imported' as const) : ('unchanged' as const),
        messages: 2,
        queuedAt: at,
        finishedAt: at,
      });
      const filesOf = (ofImport: string, count: number) =>
        Array.from({ length: count }, (_, n) => file(ofImport, n));
      await store().imports.insertOne({ _id: importId, createdAt: at, files: 40 });
      await store().importFiles.insertMany([...filesOf(earlier, 3_000), ...filesOf(importId, 40)]);
      await db.command({ profile: 2 });
      const reply = await api.get(`/admin/jobs/imports-${importId}`, as.write);
      await db.command({ profile: 0 });
      expect((reply.json() as AdminJob).counts).to.include({ files: 40, messages: 80 });
      const calls = await db
        .collection<{ docsExamined: number }>('system.profile')
        .find({ ns: store().importFiles.namespace })
        .sort({ docsExamined: 1 })
        .toArray();
      expect(calls.map(({ docsExamined }) => docsExamined)).to.deep.equal([0, 40]);
    });

    it('files the first thousand of very many waiting files again', async () => {
      const importId = newUploadId();
      const queuedAt = new Date();
      const files = Array.from({ length: 3_000 }, (_, n) => ({
        _id: `${importId}${n}`,
        importId,
        name: `${n}`,
        bytes: 1,
        queuedAt,
        state: 'queued' as const,
      }));
      await store().imports.insertOne({
        _id: importId,
        createdAt: queuedAt,
        files: files.length,
      });
      await store().importFiles.insertMany(files);
      const jobId = `imports-${importId}`;
      const reply = await api.send('POST', `/admin/jobs/${jobId}/retry`, as.write);
      expect(queued(reply).jobId).to.equal(jobId);
      const filed = await api.stores.redis.keys(
        `${api.stores.mongo.namespace}:*:import-${importId}*`,
      );
      expect(filed).to.have.length(1_000);
    });

    it('says that no file of an import is left to be tried again', async () => {
      const importId = newUploadId();
      const createdAt = new Date();
      await store().imports.insertOne({ _id: importId, createdAt, files: 1 });
      await store().importFiles.insertOne({
        _id: newUploadId(),
        importId,
        name: 'a',
        bytes: 1,
        queuedAt: createdAt,
        state: 'unchanged',
        finishedAt: createdAt,
      });
      const reply = await api.send('POST', `/admin/jobs/imports-${importId}/retry`, as.write);
      expect([reply.status, reply.json()]).to.deep.equal([
        409,
        { error: 'No file of this import is waiting', code: 'CONFLICT' },
      ]);
    });

    it('accepts gzip, and forms with many files, and gives the verdict on each file', async () => {
      const packed = gzipSync(JSON.stringify(anExport()));
      queued(await upload(packed, { 'Content-Type': 'application/gzip' }));
      const part = (name: string, content: string) =>
        `--x\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n` +
        `Content-Type: application/json\r\n\r\n${content}\r\n`;
      const dm = anExport({ guild: { id: '0', name: 'Direct Messages' } });
      const form = Buffer.from(
        part('good.json', JSON.stringify(anExport())) +
          part('private.json', JSON.stringify(dm)) +
          part('bad.json', '{"guild": 1') +
          part('other.json', JSON.stringify(anExport())) +
          '--x--\r\n',
      );
      const reply = queued(
        await upload(form, { 'Content-Type': 'multipart/form-data; boundary=x' }),
      ) as QueuedJob & { files: { name: string; state: string }[] };
      expect(reply.files.map(({ name, state }) => `${name} ${state}`)).to.deep.equal([
        'good.json queued',
        'private.json refused',
        'bad.json rejected',
        'other.json queued',
      ]);
    });

    it('takes all files of a form whose queue fails meanwhile, and does not ask the queue for each', async () => {
      const { namespace } = api.stores.mongo;
      const producer = createProducer({ redisUrl: readSettings().REDIS_URL, namespace });
      let asked = 0;
      const failing: Producer = {
        ...producer,
        async tryStoring() {
          await producer.tryStoring();
          producer.redis.disconnect();
        },
        add(name, payload) {
          asked += 1;
          return producer.add(name, payload);
        },
      };
      const take = importExport({ collections: store(), producer: failing, callMs: PATIENCE_MS });
      const part = `--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n${JSON.stringify(anExport())}\r\n`;
      const contentType = 'multipart/form-data';
      const headers = { 'content-type': `${contentType}; boundary=x` };
      const stream = Readable.from([Buffer.from(`${part}${part}${part}--x--`)]);
      const caller = { id: 'somebody', recheck: () => Promise.resolve() };
      const answer = await take({ body: { stream, contentType, headers }, caller } as Parameters<
        typeof take
      >[0]);
      const { files } = JSON.parse(String(answer.identity)) as { files: { state: string }[] };
      expect(files.map(({ state }) => state)).to.deep.equal(['queued', 'queued', 'queued']);
      expect(asked).to.equal(1);
    });

    it('refuses forms without a file, with too many, or without a boundary, and says so', async () => {
      const part = (name: string, content: string) =>
        `--x\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n\r\n${content}\r\n`;
      const field = '--x\r\nContent-Disposition: form-data; name="f"\r\n\r\n1\r\n';
      const many = Array.from({ length: 1_001 }, (_, n) => part(`${n}.json`, '{')).join('');
      const type = 'multipart/form-data; boundary=x';
      for (const [body, contentType, told] of [
        [field, type, /^The form holds no file$/],
        [many, type, /^A form holds at most 1000 files$/],
        [part('a.json', '{'), 'multipart/form-data', /^The form is damaged$/],
        [part('a.json', '{"guild": 1'), type, /^Nothing can be imported: .* \(at .+\)$/],
      ] as const) {
        const reply = await upload(Buffer.from(`${body}--x--\r\n`), {
          'Content-Type': contentType,
        });
        expect(reply.status, String(told)).to.equal(400);
        expect((reply.json() as { error: string }).error).to.match(told);
      }
    });

    it('reads on behind a long file that it refuses, and shortens long names', async () => {
      const part = (name: string, content: object) =>
        `--x\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n\r\n${JSON.stringify(content)}\r\n`;
      const dm = anExport({ guild: { id: '0', name: 'Direct Messages' } });
      const long = { ...dm, more: 'x'.repeat(1_000_000) };
      const name = `${'n'.repeat(300)}.json`;
      const form = `${part('long.json', long)}${part(name, anExport())}--x--\r\n`;
      const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
      const { files } = queued(await upload(Buffer.from(form), headers)) as QueuedJob & {
        files: { name: string; state: string }[];
      };
      expect(files.map((file) => [file.name, file.state])).to.deep.equal([
        ['long.json', 'refused'],
        ['n'.repeat(255), 'queued'],
      ]);
    });

    it('names the job in the audit trail, even if the answer is long and sent as gzip', async () => {
      const part = (name: string, content: string) =>
        `--x\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n\r\n${content}\r\n`;
      const bad = Array.from({ length: 20 }, (_, n) => part(`${n}.json`, '{"guild": 1'));
      const good = part('good.json', JSON.stringify(anExport()));
      const reply = await upload(Buffer.from(`${bad.join('')}${good}--x--\r\n`), {
        'Content-Type': 'multipart/form-data; boundary=x',
        'Accept-Encoding': 'gzip',
      });
      expect(reply.headers['content-encoding']).to.equal('gzip');
      const { jobId } = JSON.parse(gunzipSync(reply.body).toString()) as QueuedJob;
      const trail = (await api.get('/admin/audit?limit=1', as.admin)).json();
      expect(trail).to.have.nested.property('entries[0].jobId', jobId);
    });

    it('keeps the names of a form’s files in any script', async () => {
      const send = (name: string, content: string) => {
        const form = Buffer.from(
          `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n` +
            `${content}\r\n--x--\r\n`,
        );
        return upload(form, { 'Content-Type': 'multipart/form-data; boundary=x' });
      };
      const name = 'żółw 龟 🐢.json';
      const { files } = queued(await send(name, JSON.stringify(anExport()))) as QueuedJob & {
        files: { name: string }[];
      };
      expect(files.map((file) => file.name)).to.deep.equal([name]);
      expect(await store().importFiles.countDocuments({ name })).to.equal(1);
      const { details } = (await send(name, '{"guild": 1')).json() as { details: object[] };
      expect(details[0]).to.include({ path: name });
    });

    it('stores no byte of a private file, wherever its header stands', async () => {
      const before = await chunks();
      const secret = (type: string, guild = '200000000000000001') => {
        const root = anExport({ guild: { id: guild }, channel: { type } });
        const content = PRIVATE_WORDS.repeat(5_000);
        root.messages = Array.from({ length: 20 }, () => anExportMessage({ content }));
        return root;
      };
      const { messages, ...header } = secret('DirectTextChat', '0');
      for (const root of [
        secret('DirectTextChat', '0'),
        secret('GuildPrivateThread'),
        { messages, ...header },
      ]) {
        const inserts: unknown[] = [];
        const watch = store().pieces.watch();
        watch.on('change', (change) => inserts.push(change));
        await watch.tryNext().catch(() => null);
        const reply = await upload(root);
        expect(reply.status).to.equal(400);
        expect(reply.body.toString())
          .to.match(/never published/)
          .and.not.contain(PRIVATE_WORDS);
        await watch.close();
        expect(inserts).to.deep.equal([]);
      }
      expect(await chunks()).to.equal(before);
    });

    it('keeps nothing of files that are damaged, of another type, too large, or cut off', async () => {
      const before = await chunks();
      const filesBefore = await store().importFiles.countDocuments();
      const text = JSON.stringify(anExport());
      expect((await upload(Buffer.from(text.slice(0, -20)))).status).to.equal(400);
      expect((await upload(anExport(), { 'Content-Type': 'text/plain' })).status).to.equal(415);
      const huge = { ...JSON_TYPE, 'Content-Length': String(2 ** 31 + 1) };
      expect(await openUpload(api.url, { ...as.write, ...huge }, '', null)).to.match(/ 413 /);
      const cut = { ...JSON_TYPE, 'Content-Length': String(text.length) };
      await openUpload(api.url, { ...as.write, ...cut }, text.slice(0, -10));
      await until(async () => (await chunks()) === before);
      expect(await store().importFiles.countDocuments()).to.equal(filesBefore);
    });

    it('reads 8 uploads of a key at once, refuses further ones, and takes them once some have ended', async () => {
      const hold = () =>
        fetch(`${api.url}/admin/import`, {
          method: 'POST',
          headers: { ...as.write, ...JSON_TYPE },
          body: new ReadableStream({
            start: (body) => {
              body.enqueue(Buffer.from('{'));
              held.push(body);
            },
          }),
          duplex: 'half',
        } as RequestInit);
      const held: ReadableStreamDefaultController[] = [];
      const answers = Array.from({ length: 9 }, hold);
      const { status, headers } = await Promise.race(answers);
      expect([status, headers.get('retry-after')]).to.deep.equal([503, '5']);
      const other = { 'X-API-Key': await api.key('write') };
      expect((await upload(anExport(), { ...JSON_TYPE, ...other })).status).to.equal(202);
      for (const body of held) {
        try {
          body.close();
        } catch {
          // The one that was refused has ended already.
        }
      }
      const ended = await Promise.all(answers);
      expect(ended.map((answer) => answer.status).sort()).to.deep.equal([
        ...Array.from({ length: 8 }, () => 400),
        503,
      ]);
      expect((await upload(anExport())).status).to.equal(202);
    });

    it('refuses a form with files behind its end, and then takes further uploads', async () => {
      const before = await chunks();
      const part = (name: string) =>
        `--x\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n\r\n${JSON.stringify(anExport())}\r\n`;
      const behind = part('one.json') + part('another.json');
      const form = Buffer.from(`${part('good.json')}--x--\r\n${behind}`);
      const type = { 'Content-Type': 'multipart/form-data; boundary=x' };
      for (let n = 0; n < 9; n += 1) {
        const reply = await upload(form, type);
        expect(reply.status, `${n}`).to.equal(400);
        expect(reply.json()).to.include({ error: 'The form is damaged' });
      }
      expect(await chunks()).to.equal(before);
      queued(await upload(anExport()));
    });

    it('survives a form that is cut while files of it wait, or after one of them was refused', async () => {
      const before = await chunks();
      const part = (name: string, content: string) =>
        `--x\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n` +
        `Content-Type: application/json\r\n\r\n${content}`;
      const whole = JSON.stringify(anExport());
      const waiting = Array.from({ length: 40 }, (_, n) => `${part(`${n}.json`, whole)}\r\n`);
      const refused = JSON.stringify(anExport({ guild: { id: '0', name: 'Direct Messages' } }));
      const form = {
        ...as.write,
        'Content-Type': 'multipart/form-data; boundary=x',
        'Content-Length': '1000000',
      };
      for (const body of [
        waiting.join('') + part('cut.json', whole.slice(0, -10)),
        part('refused.json', `${refused.slice(0, -1)},"more":"${'x'.repeat(100_000)}`),
      ]) {
        const logged = api.log.length;
        const holdMs = body.startsWith(waiting[0]!) ? 0 : 300;
        await openUpload(api.url, form, body, holdMs);
        await until(() => api.log.slice(logged).some(({ route }) => route === '/admin/import'));
        await until(async () => (await chunks()) === before);
      }
      expect((await api.get('/healthz')).status).to.equal(200);
    });
  });
});

/**
 * Sends the head of a request and the beginning of its body, and hangs up after a time (ms). With null, the API has to
 * hang up. Resolves with what was answered until then.
 */
function openUpload(
  url: string,
  headers: Record<string, string>,
  body: string,
  holdMs: number | null = 300,
): Promise<string> {
  const { hostname, port } = new URL(url);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => {
      const head = `POST /admin/import HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n`;
      socket.write(head + body, () => {
        if (holdMs !== null) setTimeout(() => socket.destroy(), holdMs);
      });
    });
    socket.on('data', (piece) => (answer += piece.toString()));
    socket.on('close', () => resolve(answer));
  });
}
