import { expect } from 'chai';
import {
  apiKeyPageSchema,
  apiKeySchema,
  createdApiKeySchema,
  type ApiKeyPage,
  type CreatedApiKey,
} from '../../../shared/contract/auth.js';
import type { ApiKeyRecord } from '../../../shared/store/credentials.js';
import { until } from '../../support/apiServer.js';
import { anId } from '../../support/factories.js';
import { aToken, bearer, startAuth, type AuthServer } from '../../support/authServer.js';

const NEXT_YEAR = new Date().getUTCFullYear() + 1;

describe('API keys', () => {
  let api: AuthServer;
  let admin: Record<string, string>;
  before(async () => {
    api = await startAuth();
    admin = { 'X-API-Key': await api.key('admin') };
  });
  after(() => api.close());

  const create = async (body: object): Promise<CreatedApiKey> => {
    const reply = await api.send('POST', '/admin/keys', admin, body);
    expect(reply.status).to.equal(201);
    return reply.json() as CreatedApiKey;
  };
  const list = async (): Promise<ApiKeyPage> =>
    (await api.get('/admin/keys', admin)).json() as ApiKeyPage;

  it('are shown once, and listed without their secret', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const created = await create({ name: 'statistics', level: 'read', expiresAt });
    expect(createdApiKeySchema.validate(created).error).to.equal(undefined);
    expect(created.key).to.match(/^fa_[0-9a-f]{16}_[0-9a-f]{48}$/);
    expect(created.key.split('_')[1]).to.equal(created.id);
    const listed = await list();
    expect(apiKeyPageSchema.validate(listed).error).to.equal(undefined);
    expect(listed.keys[0]).to.deep.equal({
      id: created.id,
      name: 'statistics',
      level: 'read',
      expiresAt,
      createdAt: created.createdAt,
      lastUsedAt: null,
      revokedAt: null,
    });
    const used = await api.get('/admin/stats', { 'X-API-Key': created.key });
    expect(used.status, 'before it expires').to.equal(200);
  });

  it('are listed by the page, newest first, also those that were stored by hand', async () => {
    const { apiKeys } = api.stores.mongo.collections;
    const at = new Date(Date.now() + 60_000);
    const latest = new Date(Date.now() + 120_000);
    const common = { name: 'x', level: 'read', hash: '0', expiresAt: null, lastUsedAt: null };
    const idOf = (n: number) => String(n).padStart(16, '0');
    const twins = [3, 1, 2].map((n) => ({ ...common, _id: idOf(n), createdAt: at }));
    const undated = [5, 4].map((n) => ({ ...common, _id: idOf(n), createdAt: 'in May' }));
    const named = ['b-1', 'a.2', 'c 3'].map((_id) => ({ ...common, _id, createdAt: latest }));
    await apiKeys.insertMany([...undated, ...twins, ...named] as unknown as ApiKeyRecord[]);
    const listed: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const path: string = `/admin/keys?limit=2${cursor && `&cursor=${cursor}`}`;
      const read = (await api.get(path, admin)).json() as ApiKeyPage;
      expect(apiKeyPageSchema.validate(read).error).to.equal(undefined);
      expect(read.hasMore).to.equal(read.nextCursor !== null);
      listed.push(...read.keys.map(({ id }) => id));
      cursor = read.nextCursor;
    }
    expect(listed.slice(0, 6)).to.deep.equal(['a.2', 'b-1', 'c 3', ...[1, 2, 3].map(idOf)]);
    expect(listed.slice(-2)).to.deep.equal([4, 5].map(idOf));
    expect(listed).to.have.length(await apiKeys.countDocuments());
    expect(new Set(listed)).to.have.property('size', listed.length);
    expect((await api.get('/admin/keys?cursor=x', admin)).status).to.equal(400);
    await apiKeys.deleteMany({ hash: '0' });
  });

  it('expire at the given time, in UTC unless it names a zone, wherever the service runs', async () => {
    const { TZ: usual = 'UTC' } = process.env;
    process.env['TZ'] = 'America/New_York';
    try {
      const times = ['-06-01', '-06-01T12:00:00', '-06-01t12:00:00+02:00', '-06-01t12:00:00z'];
      const ends = [];
      for (const time of times) {
        const key = { name: 'x', level: 'read', expiresAt: `${NEXT_YEAR}${time}` };
        ends.push((await create(key)).expiresAt);
      }
      expect(ends).to.deep.equal(
        ['00', '12', '10', '12'].map((hour) => `${NEXT_YEAR}-06-01T${hour}:00:00.000Z`),
      );
    } finally {
      process.env['TZ'] = usual;
    }
  });

  it('are refused with the reason', async () => {
    const cases: [object, string][] = [
      [{ level: 'read' }, 'name'],
      [{ name: ' ', level: 'read' }, 'name'],
      [{ name: 'x'.repeat(101), level: 'read' }, 'name'],
      [{ name: 'x', level: 'root' }, 'level'],
      [{ name: 'x', level: 'read', expiresAt: 'tomorrow' }, 'expiresAt'],
      [{ name: 'x', level: 'read', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
      [{ name: 'x', level: 'read', expiresAt: '9999-12-31T00:00:00Z' }, 'expiresAt'],
      [{ name: 'x', level: 'read', expiresAt: `${NEXT_YEAR}-02-30T00:00:00Z` }, 'expiresAt'],
      [{ name: 'x', level: 'read', owner: 'x' }, 'owner'],
      [{ name: { $ne: 1 }, level: 'read' }, 'name'],
    ];
    for (const [body, path] of cases) {
      const reply = await api.send('POST', '/admin/keys', admin, body);
      expect(reply.status, JSON.stringify(body)).to.equal(400);
      const { details } = reply.json() as { details: { path: string }[] };
      expect(details.map((detail) => detail.path)).to.include(path);
    }
  });

  it('last ten years at most', async () => {
    const statuses = [];
    for (const days of [-1, 1]) {
      const end = new Date();
      end.setUTCFullYear(end.getUTCFullYear() + 10, end.getUTCMonth(), end.getUTCDate() + days);
      const body = { name: 'x', level: 'read', expiresAt: end.toISOString() };
      statuses.push((await api.send('POST', '/admin/keys', admin, body)).status);
    }
    expect(statuses).to.deep.equal([201, 400]);
  });

  it('are refused where their expiry is wrong', async () => {
    const body = { name: 'x', level: 'read', expiresAt: `${NEXT_YEAR}` };
    const reply = await api.send('POST', '/admin/keys', admin, body);
    const { details } = reply.json() as { details: { message: string }[] };
    expect(details[0]?.message).to.equal('expiresAt must be a date or time in ISO 8601');
  });

  it('stop working soon after they are revoked, even while in use', async () => {
    const { id, key } = await create({ name: 'x', level: 'admin' });
    const use = async () => (await api.get('/admin/keys', { 'X-API-Key': key })).status;
    expect(await use()).to.equal(200);
    const reply = await api.send('DELETE', `/admin/keys/${id}`, admin);
    expect(reply.status).to.equal(200);
    expect(apiKeySchema.validate(reply.json()).error).to.equal(undefined);
    const { revokedAt } = reply.json() as { revokedAt: string };
    const began = performance.now();
    await until(async () => (await use()) === 403);
    // It takes a second where nothing else runs.
    expect(performance.now() - began).to.be.below(30_000);
    const again = await api.send('DELETE', `/admin/keys/${id}`, admin);
    expect((again.json() as { revokedAt: string }).revokedAt).to.equal(revokedAt);
    for (const unknown of ['nothing', '__proto__', '0'.repeat(16)]) {
      expect((await api.send('DELETE', `/admin/keys/${unknown}`, admin)).status).to.equal(404);
    }
  });

  it('tell when they were last used, to a minute', async () => {
    const { id, key } = await create({ name: 'x', level: 'admin' });
    await api.get('/admin/keys', { 'X-API-Key': key });
    const lastUsed = async () => (await list()).keys.find((one) => one.id === id)?.lastUsedAt;
    await until(async () => Boolean(await lastUsed()));
    const first = await lastUsed();
    for (let n = 0; n < 3; n += 1) await api.get('/admin/keys', { 'X-API-Key': key });
    expect(await lastUsed()).to.equal(first);
    const { apiKeys } = api.stores.mongo.collections;
    await apiKeys.updateOne({ _id: id }, { $set: { lastUsedAt: new Date(Date.now() - 61_000) } });
    const used = async (from: number, to: number) => {
      await api.get('/admin/keys', { 'X-API-Key': key });
      const time = Date.parse((await lastUsed()) ?? '');
      return time > from && time < to;
    };
    await until(() => used(Date.now() - 60_000, Infinity));
    // The clock of the machine was a day ahead, and was set right.
    const ahead = { $set: { lastUsedAt: new Date(Date.now() + 86_400_000) } };
    await apiKeys.updateOne({ _id: id }, ahead);
    await until(() => used(0, Date.now() + 3_600_000));
  });

  it('work even if their use cannot be recorded', async () => {
    const { db } = api.stores.mongo;
    const { key } = await create({ name: 'x', level: 'admin' });
    await db.command({ collMod: 'apiKeys', validator: { lastUsedAt: null } });
    const { status } = await api.get('/admin/keys', { 'X-API-Key': key });
    await db.command({ collMod: 'apiKeys', validator: {} });
    expect(status).to.equal(200);
  });

  it('can be inserted by hand', async () => {
    const key = `fa_${'ab'.repeat(8)}_${'cd'.repeat(24)}`;
    await api.stores.mongo.collections.apiKeys.insertOne({
      _id: 'ab'.repeat(8),
      name: 'by hand',
      level: 'read',
      createdAt: new Date(),
      // printf %s "$KEY" | sha256sum
      hash: 'ebad396734857d266415f5748199ed612092318ac57456da2479fc28f61727f8',
    });
    const reply = await api.get('/admin/keys', { 'X-API-Key': key });
    expect(reply.json()).to.include({ error: 'This needs the level admin' });
  });

  it('are refused where one was inserted with a hash that is no text', async () => {
    const { id, key } = await create({ name: 'x', level: 'admin' });
    const { apiKeys } = api.stores.mongo.collections;
    await apiKeys.updateOne({ _id: id }, { $set: { hash: 5 } as object });
    expect((await api.get('/admin/keys', { 'X-API-Key': key })).status).to.equal(403);
  });

  it('are ended by whatever was inserted as their end, also by what counts as false', async () => {
    const { apiKeys } = api.stores.mongo.collections;
    for (const empty of [false, 0, '']) {
      for (const [field, status] of [
        ['revokedAt', 403],
        ['expiresAt', 401],
      ] as const) {
        const { id, key } = await create({ name: 'x', level: 'admin' });
        await apiKeys.updateOne({ _id: id }, { $set: { [field]: empty } as object });
        const { status: answered } = await api.get('/admin/keys', { 'X-API-Key': key });
        expect(answered, `${field} ${empty}`).to.equal(status);
        const listed = (await list()).keys.find((one) => one.id === id);
        expect(listed).to.have.property(field, new Date(0).toISOString());
      }
    }
  });

  it('are all listed, even if one was inserted with wrong types, which has then expired', async () => {
    const { id, key } = await create({ name: 'x', level: 'admin' });
    const { apiKeys } = api.stores.mongo.collections;
    const soon = new Date(Date.now() + 60_000).toISOString();
    const wrong = { name: 5, createdAt: '2026-01-01', expiresAt: soon, lastUsedAt: 1 };
    await apiKeys.updateOne({ _id: id }, { $set: wrong as object });
    expect((await api.get('/admin/keys', { 'X-API-Key': key })).status).to.equal(401);
    const listed = await list();
    expect(apiKeyPageSchema.validate(listed).error).to.equal(undefined);
    const none = new Date(0).toISOString();
    expect(listed.keys.find((one) => one.id === id)).to.deep.equal({
      id,
      name: '5',
      level: 'admin',
      createdAt: none,
      expiresAt: none,
      lastUsedAt: none,
      revokedAt: null,
    });
    expect((await api.send('DELETE', `/admin/keys/${id}`, admin)).status).to.equal(200);
  });
});

describe('DISABLE_AUTH', () => {
  it('allows everybody everything', async () => {
    const api = await startAuth({ DISABLE_AUTH: 'true' });
    try {
      for (const headers of [{}, { 'X-API-Key': 'garbage' }, bearer(aToken())]) {
        expect((await api.get('/admin/keys', headers)).status).to.equal(200);
        expect((await api.get('/api/me', headers)).json()).to.include({ id: 'development' });
      }
      const caller = { kind: 'development', id: 'development' };
      const { headers } = await api.send('DELETE', '/admin/keys/unknown');
      expect(await api.stores.mongo.collections.audit.findOne()).to.deep.include({ caller });
      const lines = () => api.log.filter((one) => one['requestId'] === headers['x-request-id']);
      await until(() => lines().length > 0);
      expect(lines()[0]).to.deep.include({ caller });
    } finally {
      await api.close();
    }
  });

  it('allows no page of another site to have a browser call protected operations', async () => {
    const api = await startAuth({ DISABLE_AUTH: 'true' });
    const statuses = async (method: string, path: string, origins: string[]) => {
      const replies = origins.map((origin) => api.send(method, path, { Origin: origin }));
      return (await Promise.all(replies)).map(({ status }) => status);
    };
    try {
      const foreign = [
        'https://elsewhere.example',
        'null',
        'http://localhost.elsewhere.example',
        'http://127.0.0.1.elsewhere.example',
        'localhost',
        'http://10.0.0.1:3000',
      ];
      const own = [api.url, 'http://localhost:5173', 'https://127.0.0.1', 'http://[::1]:8080', ''];
      for (const [method, path, status] of [
        ['DELETE', `/admin/threads/${anId()}`, 404],
        ['GET', '/admin/keys', 200],
        ['GET', '/admin/queues', 200],
        ['GET', '/api/me', 200],
      ] as const) {
        expect(await statuses(method, path, foreign), path).to.deep.equal(foreign.map(() => 403));
        expect(await statuses(method, path, own), path).to.deep.equal(own.map(() => status));
      }
      expect(await statuses('GET', '/api/servers', foreign)).to.deep.equal(foreign.map(() => 200));
      for (const [host, status] of [
        ['elsewhere.example:3000', 403],
        ['127.0.0.1.elsewhere.example', 403],
        ['localhost:3000', 200],
        ['api', 200],
        ['devbox.local:81', 200],
        ['host.docker.internal:3000', 200],
        ['a.b.localhost', 200],
        ['.internal', 403],
        ['internal.elsewhere.example', 403],
        ['elsewhere.internal.example', 403],
        ['192.168.1.2', 200],
        ['[fe80::1]:3000', 200],
      ] as [string, number][]) {
        // A page on such a host, whose name was pointed at this machine, calls its own origin.
        for (const headers of [{}, { Origin: `http://${host}` }]) {
          const reply = await api.get('/admin/keys', { Host: host, ...headers });
          expect(reply.status, host).to.equal(status);
        }
      }
    } finally {
      await api.close();
    }
  });
});
