import { expect } from 'chai';
import type { Job } from 'bullmq';
import { UnrecoverableError, Worker } from '../../../shared/drivers/bullmq.js';
import { QUEUE_NAME } from '../../../shared/jobs/jobs.js';
import { refileLost } from '../../../shared/jobs/refileLost.js';
import { createProducer } from '../../../shared/jobs/producer.js';
import { createWorkerRedis } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import { until } from '../../support/apiServer.js';
import { aThread } from '../../support/factories.js';
import { ADMIN_ID, bearer, startAuth, type AuthServer } from '../../support/authServer.js';
import { stayInMinute } from '../../support/stayInMinute.js';

describe('the queue dashboard', () => {
  let api: AuthServer;
  let admin: { 'X-API-Key': string };
  before(async () => {
    api = await startAuth();
    admin = { 'X-API-Key': await api.key('admin') };
    const producer = openProducer();
    await producer.add('delete-thread', { threadId: '5' });
    await producer.close();
  });
  after(() => api.close());

  const openProducer = () => {
    const { REDIS_URL: redisUrl } = readSettings();
    const { namespace } = api.stores.mongo;
    return createProducer({ redisUrl, namespace, timeoutMs: 120_000 });
  };
  const basic = (password: string) => ({
    Authorization: `Basic ${Buffer.from(`anyone:${password}`).toString('base64')}`,
  });
  const jobs = async () => {
    const producer = openProducer();
    await producer.counts();
    return { producer, audit: api.stores.mongo.collections.audit };
  };
  const page = (headers: Record<string, string>, path = '/admin/queues') => api.get(path, headers);

  it('asks a browser for a password, and refuses callers that are no administrators', async () => {
    const nothing = await page({});
    expect(nothing.status).to.equal(401);
    expect(nothing.headers['www-authenticate']).to.match(/^Basic realm=/);
    expect((await page({ 'X-API-Key': await api.key('read') })).status).to.equal(403);
    expect((await page({ 'X-API-Key': await api.key('write') })).status).to.equal(403);
    expect((await page(basic('fa_wrong'))).status).to.equal(401);
  });

  it('guards its scripts and data in the same way', async () => {
    for (const path of ['/admin/queues/', '/admin/queues/static/favicon.ico', '/admin/queues/x']) {
      expect((await page({}, path)).status, path).to.equal(401);
    }
    expect((await page({}, '/admin/queues/api/queues')).status).to.equal(401);
  });

  it('asks a browser again whose key has expired or is no administrator’s, since it would send no other', async () => {
    const expired = await api.key('admin', new Date(Date.now() - 3_600_000));
    for (const [key, code] of [
      [await api.key('read'), 'UNAUTHORIZED'],
      [await api.key('write'), 'UNAUTHORIZED'],
      [expired, 'TOKEN_EXPIRED'],
    ] as const) {
      const reply = await page(basic(key));
      expect([reply.status, (reply.json() as { code: string }).code]).to.deep.equal([401, code]);
      expect(reply.headers['www-authenticate']).to.match(/^Basic realm=/);
    }
  });

  it('does not count the password that a browser also sends to other paths', async () => {
    const known = basic(admin['X-API-Key']);
    const bare = await page(known, '/admin/stats');
    expect(bare.status).to.equal(401);
    expect(bare.headers['www-authenticate']).to.match(/^Bearer realm=/);
    expect((await page({ ...known, ...admin }, '/admin/stats')).status).to.equal(200);
    expect((await page({ ...known, ...admin })).status).to.equal(400);
  });

  it('shows pages, scripts and jobs to an administrator with any kind of credential', async () => {
    const token = bearer(await api.token('admin'));
    for (const headers of [admin, basic(admin['X-API-Key']), token]) {
      const { status, headers: sent, body } = await page(headers);
      expect(status).to.equal(200);
      expect(sent['content-type']).to.match(/^text\/html/);
      expect(sent['cache-control']).to.equal('private, no-store');
      expect(sent['content-security-policy']).to.include("script-src 'self';");
      const [, script = ''] = /src="(static\/js\/main[^"]*)"/.exec(body.toString()) ?? [];
      expect(body.toString()).to.include('<base href="/admin/queues/"').and.not.include('<%');
      expect(body.toString(), 'addresses elsewhere').to.not.match(/(?:src|href)="(?:https?:)?\/\//);
      const loaded = await page(headers, `/admin/queues/${script}`);
      expect(loaded.status).to.equal(200);
      expect(loaded.headers['content-type']).to.match(/javascript/);
    }
    const { queues } = (
      await page(admin, '/admin/queues/api/queues?activeQueue=archive&page=1')
    ).json() as { queues: { name: string; counts: object; jobs: { name: string }[] }[] };
    expect(queues[0]).to.include({ name: 'archive' });
    expect(queues[0]?.counts).to.include({ waiting: 1 });
    expect(queues[0]?.jobs.map(({ name }) => name)).to.deep.equal(['delete-thread']);
  });

  it('tries a failed job again', async () => {
    const { REDIS_URL: redisUrl } = readSettings();
    const producer = openProducer();
    await producer.counts();
    const connection = createWorkerRedis(redisUrl);
    const prefix = api.stores.mongo.namespace;
    const fail = () => Promise.reject(new UnrecoverableError('Failed'));
    const worker = new Worker(QUEUE_NAME, fail, { connection, prefix });
    const job = await producer.queue.add(
      'delete-thread',
      { threadId: '6' },
      { jobId: 'verify-failing' },
    );
    await until(() => job.isFailed());
    await worker.close();
    connection.disconnect();
    const retry = '/admin/queues/api/queues/archive/verify-failing/retry';
    const reply = await api.send('PUT', retry, admin);
    expect(reply.status, reply.body.toString()).to.equal(204);
    expect(await job.getState()).to.equal('waiting');
    const missing = await api.send('PUT', retry.replace('failing', 'nothing'), admin);
    expect(missing.status).to.equal(404);
    await producer.close();
  });

  it('says that a waiting job cannot be promoted, and not that the queue is away', async () => {
    const { producer, audit } = await jobs();
    const job = await producer.queue.add('verify', { repair: false }, { jobId: 'verify-ready' });
    const reply = await api.send(
      'PUT',
      '/admin/queues/api/queues/archive/verify-ready/promote',
      admin,
    );
    await job.remove();
    await producer.close();
    expect([reply.status, reply.json()]).to.deep.equal([
      409,
      { error: 'A job that is waiting cannot be promoted', code: 'CONFLICT' },
    ]);
    const entry = await audit.findOne({ 'params.jobId': 'verify-ready' });
    expect(entry).to.deep.include({ outcome: 'CONFLICT', status: 409 });
  });

  it('says that a waiting job cannot be retried, and names the jobs that can', async () => {
    const { producer, audit } = await jobs();
    const job = await producer.queue.add('verify', { repair: false }, { jobId: 'verify-again' });
    const root = '/admin/queues/api/queues/archive';
    const one = await api.send('PUT', `${root}/verify-again/retry`, admin);
    const all = await api.send('PUT', `${root}/retry/waiting`, admin);
    const missing = await api.send('PUT', `${root}/verify-nothing/retry`, admin);
    await job.remove();
    await producer.close();
    expect([one, all, missing].map((reply) => [reply.status, reply.json()])).to.deep.equal([
      [409, { error: 'A job that is waiting cannot be retried', code: 'CONFLICT' }],
      [400, { error: 'Only these can be retried: completed, failed', code: 'VALIDATION_ERROR' }],
      [404, { error: 'Job not found', code: 'NOT_FOUND' }],
    ]);
    const entry = await audit.findOne({ 'params.jobId': 'verify-again' });
    expect(entry).to.deep.include({ outcome: 'CONFLICT', status: 409 });
  });

  it('says that a job which is under way cannot be cleaned', async () => {
    const { producer } = await jobs();
    const connection = createWorkerRedis(readSettings().REDIS_URL);
    let end = (): void => undefined;
    const work = async ({ id }: Job) => {
      if (id === 'verify-busy') await new Promise<void>((resolve) => (end = resolve));
    };
    const prefix = api.stores.mongo.namespace;
    const worker = new Worker(QUEUE_NAME, work, { connection, prefix });
    const job = await producer.queue.add('verify', { repair: false }, { jobId: 'verify-busy' });
    await until(() => job.isActive());
    const reply = await api.send(
      'PUT',
      '/admin/queues/api/queues/archive/verify-busy/clean',
      admin,
    );
    end();
    await worker.close();
    connection.disconnect();
    await producer.close();
    expect([reply.status, reply.json()]).to.deep.equal([
      409,
      { error: 'A job that is active cannot be cleaned', code: 'CONFLICT' },
    ]);
  });

  it('allows only retry, promote, clean, pause and resume, whatever else the board can do', async () => {
    const { producer, audit } = await jobs();
    const { queue } = producer;
    const waiting = await queue.add('verify', { repair: false }, { jobId: 'verify-waiting' });
    const before = await queue.getJobCounts();
    const dangerous = { name: 'delete-thread', data: { threadId: '7' }, jobData: { repair: true } };
    const root = '/admin/queues/api/queues/archive';
    for (const [method, path] of [
      ['POST', `${root}/add`],
      ['PUT', `${root}/empty`],
      ['PUT', `${root}/obliterate`],
      ['PUT', `${root}/concurrency`],
      ['PUT', `${root}/rate-limit`],
      ['PUT', `${root}/rate-limit/release`],
      ['PATCH', `${root}/verify-waiting/update-data`],
      ['PATCH', `${root}/verify-waiting/delay`],
      ['PATCH', `${root}/verify-waiting/priority`],
      ['PUT', `${root}/verify-waiting/remove-unprocessed-children`],
      ['PUT', `${root}/job-schedulers/x/remove`],
      ['PATCH', `${root}/job-schedulers/x`],
      ['PUT', `${root}/job-schedulers/x/run`],
    ] as const) {
      const reply = await api.send(method, path, admin, dangerous);
      expect(reply.status, path).to.equal(403);
      expect(reply.json(), path).to.deep.equal({
        error: 'Only retry, promote, clean, pause and resume are allowed here',
        code: 'FORBIDDEN',
      });
      const entry = await audit.findOne({ 'params.path': path });
      expect(entry, path).to.deep.include({ outcome: 'FORBIDDEN', status: 403 });
    }
    expect((await api.send('PUT', `${root}/clean/everything`, admin)).status).to.equal(400);
    expect(await queue.getJobCounts()).to.deep.equal(before);
    expect((await queue.getJob('verify-waiting'))?.data).to.deep.equal(waiting.data);
    await waiting.remove();
    await producer.close();
  });

  it('records the id and name of a changed job, even if the job is gone afterwards', async () => {
    const { producer, audit } = await jobs();
    const { queue } = producer;
    await queue.add('verify', {}, { jobId: 'verify-late', delay: 3_600_000 });
    for (const action of ['promote', 'clean']) {
      const path = `/admin/queues/api/queues/archive/verify-late/${action}`;
      expect((await api.send('PUT', path, admin)).status, action).to.equal(204);
      const entry = await audit.findOne({ 'params.path': path });
      expect(entry?.outcome).to.equal('done');
      expect(entry?.params).to.include({ action, jobId: 'verify-late', jobName: 'verify' });
    }
    expect(await queue.getJobState('verify-late')).to.equal('unknown');
    await producer.close();
  });

  it('loses no acknowledged change when its job is cleaned', async () => {
    const { producer } = await jobs();
    const { collections } = api.stores.mongo;
    const thread = aThread();
    await collections.threads.insertOne(thread);
    const deletion = await api.send('DELETE', `/admin/threads/${thread._id}`, admin);
    const { jobId } = deletion.json() as { jobId: string };
    const clean = `/admin/queues/api/queues/archive/${jobId}/clean`;
    expect((await api.send('PUT', clean, admin)).status).to.equal(204);
    expect(await producer.queue.getJobState(jobId)).to.equal('unknown');
    expect(await refileLost(collections, producer, 0)).to.equal(1);
    const waiting = await producer.queue.getJobs(['waiting']);
    expect(waiting.map(({ data }) => data as unknown)).to.deep.include({ threadId: thread._id });
    await producer.close();
  });

  it('serves only its own files, and does not reveal whether others exist', async () => {
    for (const path of [
      'static/../package.json',
      'static/%2e%2e/package.json',
      'static/..%2fpackage.json',
      'static/nothing.js',
      'static/js',
      'static/',
      'api/nothing',
    ]) {
      const reply = await page(admin, `/admin/queues/${path}`);
      expect(reply.status, path).to.be.within(400, 404);
      expect(reply.json(), path).to.have.keys('error', 'code');
    }
  });

  it('says that a query cannot be read, and not that the queue is away', async () => {
    for (const query of [
      'queues?status=%00',
      'queues?activeQueue=%25',
      'job-schedulers?queueName=%25',
    ]) {
      const reply = await page(admin, `/admin/queues/api/${query}`);
      expect([reply.status, reply.json()], query).to.deep.equal([
        400,
        { error: 'The query could not be read', code: 'VALIDATION_ERROR' },
      ]);
    }
  });

  it('shows at most 100 jobs of a state at once, and refuses numbers of pages that cannot be', async () => {
    const queues = '/admin/queues/api/queues?activeQueue=archive&status=waiting';
    for (const [query, status] of [
      ['jobsPerPage=100&page=', 200],
      ['jobsPerPage=101', 400],
      ['jobsPerPage=1e22', 400],
      ['jobsPerPage=5&jobsPerPage=6', 400],
      ['page=9007199254740991', 200],
      ['page=1e22', 400],
      ['page=0', 400],
    ] as const) {
      const reply = await page(admin, `${queues}&${query}`);
      expect(reply.status, query).to.equal(status);
      if (status === 400) expect(reply.json()).to.include({ code: 'VALIDATION_ERROR' });
    }
  });

  it('finds no job under a key of the queue itself', async () => {
    const root = '/admin/queues/api/queues/archive';
    for (const key of ['failed', 'wait', 'meta', 'stalled-check']) {
      const seen = await page(admin, `${root}/${key}`);
      const retried = await api.send('PUT', `${root}/${key}/retry`, admin);
      for (const reply of [seen, retried])
        expect([reply.status, reply.json()], key).to.deep.equal([
          404,
          { error: 'Job not found', code: 'NOT_FOUND' },
        ]);
    }
  });

  it('tells an admitted caller that it has no such path or method', async () => {
    const browser = basic(admin['X-API-Key']);
    const unknown = await page(browser, '/admin/queues/api/nope');
    expect(unknown.status).to.equal(404);
    expect(unknown.json()).to.include({ code: 'NOT_FOUND' });
    const posted = await api.send('POST', '/admin/queues', browser);
    expect(posted.status).to.equal(405);
    expect(posted.headers['allow']).to.equal('GET, HEAD, OPTIONS');
  });

  it('accepts changes only from its own pages, and records who made them', async () => {
    const path = '/admin/queues/api/queues/archive/pause';
    const put = (headers: Record<string, string>) =>
      api.send('PUT', path, { ...basic(admin['X-API-Key']), ...headers });
    expect((await put({ Origin: 'https://elsewhere.example' })).status).to.equal(403);
    expect((await put({ Origin: 'null' })).status).to.equal(403);
    const Host = 'archive.example';
    for (const host of [`${Host}:81`, `not-${Host}`, `x.${Host}`, `${Host}.elsewhere.example`]) {
      expect((await put({ Host, Origin: `https://${host}` })).status, host).to.equal(403);
    }
    expect((await put({ Host, Origin: `https://${Host}` })).status).to.equal(200);
    for (const site of ['cross-site', 'same-site']) {
      expect((await put({ 'Sec-Fetch-Site': site })).status, site).to.equal(403);
    }
    expect((await put({ Origin: api.url, 'Sec-Fetch-Site': 'same-origin' })).status).to.equal(200);
    expect((await api.send('PUT', path.replace('pause', 'resume'), admin)).status).to.equal(200);
    expect((await api.send('PUT', path.replace('archive', 'none'), admin)).status).to.equal(404);
    const { audit } = api.stores.mongo.collections;
    const entries = await audit.find({ operation: 'queueDashboard' }).toArray();
    const done = entries
      .filter(({ outcome }) => outcome === 'done')
      .map(({ params }) => params['path']);
    const retry = '/admin/queues/api/queues/archive/verify-failing/retry';
    expect(done).to.include.members([path, path.replace('pause', 'resume'), retry]);
    const paused = entries.find(({ params }) => params['action'] === 'pause');
    expect(paused?.params).to.include({ queueName: 'archive' }).and.not.have.property('jobName');
    expect(entries.map(({ outcome }) => outcome)).to.include.members(['FORBIDDEN', 'failed']);
  });
});

describe('reads of the administration', () => {
  it('are recorded in the audit trail with AUDIT_READS, refused ones too', async () => {
    for (const [AUDIT_READS, expected] of [
      ['false', []],
      [
        'true',
        [
          ['getAdminStats', 'done', {}],
          ['listKeys', 'FORBIDDEN', {}],
          ['getJob', 'NOT_FOUND', { jobId: 'nothing' }],
          ['queueDashboard', 'done', { path: '/admin/queues' }],
        ],
      ],
    ] as const) {
      const api = await startAuth({ AUDIT_READS });
      const read = { 'X-API-Key': await api.key('read') };
      const admin = { 'X-API-Key': await api.key('admin') };
      const stranger = bearer((await api.logIn('42')).access_token);
      await api.get('/admin/stats', read);
      await api.get('/admin/keys', read);
      await api.get('/admin/jobs/nothing', admin);
      await api.get('/admin/queues', admin);
      await api.get('/admin/queues/static/favicon.ico', admin);
      await api.get('/admin/stats', stranger);
      await api.get('/api/servers', admin);
      await api.get('/api/me', bearer((await api.logIn(ADMIN_ID)).access_token));
      const { audit } = api.stores.mongo.collections;
      const entries = await audit.find().sort({ _id: 1 }).toArray();
      await api.close();
      expect(
        entries.map(({ operation, outcome, params }) => [operation, outcome, params]),
      ).to.deep.equal(expected);
    }
  });
});

describe('passwords that are wrong', () => {
  stayInMinute();
  it('make a browser ask again, and count as failed credentials', async () => {
    const api = await startAuth({
      RATE_LIMIT_DISABLED: 'false',
      RATE_LIMIT_FAILED_CREDENTIALS: '3',
    });
    const wrong = { Authorization: `Basic ${Buffer.from('a:fa_wrong').toString('base64')}` };
    const replies = [];
    for (let n = 0; n < 4; n += 1) replies.push(await api.get('/admin/queues', wrong));
    await api.close();
    expect(replies.map(({ status }) => status)).to.deep.equal([401, 401, 401, 429]);
    expect(replies[0]!.headers['www-authenticate']).to.match(/^Basic realm=/);
  });
});
