import { expect } from 'chai';
import { createProducer } from '../../../shared/jobs/producer.js';
import { readSettings } from '../../../shared/platform/env.js';
import { aToken, bearer, startAuth, USER_ID, type AuthServer } from '../../support/authServer.js';

describe('the queue dashboard', () => {
  let api: AuthServer;
  let admin: { 'X-API-Key': string };
  before(async () => {
    api = await startAuth();
    admin = { 'X-API-Key': await api.key('admin') };
    const { REDIS_URL: redisUrl } = readSettings();
    const producer = createProducer({ redisUrl, namespace: api.stores.mongo.namespace });
    await producer.add('delete-thread', { threadId: '5' });
    await producer.close();
  });
  after(() => api.close());

  const basic = (password: string) => ({
    Authorization: `Basic ${Buffer.from(`anyone:${password}`).toString('base64')}`,
  });
  const page = (headers: Record<string, string>, path = '/admin/queues') => api.get(path, headers);

  it('asks a browser for a password, and refuses what is no admin', async () => {
    const nothing = await page({});
    expect(nothing.status).to.equal(401);
    expect(nothing.headers['www-authenticate']).to.match(/^Basic realm=/);
    expect((await page({ 'X-API-Key': await api.key('read') })).status).to.equal(403);
    expect((await page({ 'X-API-Key': await api.key('write') })).status).to.equal(403);
    expect((await page(basic('fa_wrong'))).status).to.equal(403);
    expect((await page(basic(await api.key('read')))).status).to.equal(403);
  });

  it('guards its scripts and answers alike', async () => {
    for (const path of ['/admin/queues/', '/admin/queues/static/favicon.ico', '/admin/queues/x']) {
      expect((await page({}, path)).status, path).to.equal(401);
    }
    expect((await page({}, '/admin/queues/api/queues')).status).to.equal(401);
    expect((await page(basic(admin['X-API-Key']), '/admin/stats')).status).to.equal(403);
  });

  it('shows pages, scripts and jobs to an admin, however they say who they are', async () => {
    const token = bearer(aToken({ sub: USER_ID, scope: ['admin'] }));
    for (const headers of [admin, basic(admin['X-API-Key']), token]) {
      const { status, headers: sent, body } = await page(headers);
      expect(status).to.equal(200);
      expect(sent['content-type']).to.match(/^text\/html/);
      expect(sent['cache-control']).to.equal('private, no-store');
      expect(sent['content-security-policy']).to.include("script-src 'self';");
      const [, script = ''] = /src="(static\/js\/main[^"]*)"/.exec(body.toString()) ?? [];
      expect(body.toString()).to.include('<base href="/admin/queues/"');
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

  it('serves its own files alone, and tells of no others', async () => {
    for (const path of ['static/../package.json', 'static/%2e%2e/package.json', 'api/nothing']) {
      const reply = await page(admin, `/admin/queues/${path}`);
      expect(reply.status, path).to.be.within(400, 404);
      expect(reply.json(), path).to.have.keys('error', 'code');
    }
  });

  it('changes the queue for its own pages alone, and keeps who did', async () => {
    const path = '/admin/queues/api/queues/archive/pause';
    const put = (headers: Record<string, string>) =>
      api.send('PUT', path, { ...basic(admin['X-API-Key']), ...headers });
    expect((await put({ Origin: 'https://elsewhere.example' })).status).to.equal(403);
    expect((await put({ Origin: 'null' })).status).to.equal(403);
    expect((await put({ 'Sec-Fetch-Site': 'cross-site' })).status).to.equal(403);
    expect((await put({ Origin: api.url, 'Sec-Fetch-Site': 'same-origin' })).status).to.equal(200);
    expect((await api.send('PUT', path.replace('pause', 'resume'), admin)).status).to.equal(200);
    const { audit } = api.stores.mongo.collections;
    const deeds = await audit.find({ operation: 'queueDashboard' }).toArray();
    const done = deeds
      .filter(({ outcome }) => outcome === 'done')
      .map(({ params }) => params['path']);
    expect(done).to.have.members([path, path.replace('pause', 'resume')]);
  });
});

describe('passwords that are wrong', () => {
  it('count as failed credentials', async () => {
    const api = await startAuth({
      RATE_LIMIT_DISABLED: 'false',
      RATE_LIMIT_FAILED_CREDENTIALS: '3',
    });
    const wrong = { Authorization: `Basic ${Buffer.from('a:fa_wrong').toString('base64')}` };
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await api.get('/admin/queues', wrong)).status);
    await api.close();
    expect(statuses).to.deep.equal([403, 403, 403, 429]);
  });
});
