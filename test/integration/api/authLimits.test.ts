import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createApiKeyChecker } from '../../../services/api/auth/apiKeyChecker.js';
import { createRateLimits } from '../../../services/api/http/credentials/rateLimits.js';
import type { TokenResponse } from '../../../shared/contract/auth.js';
import { createRedis } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import { startProxy, urlThrough } from '../../support/apiProxy.js';
import { startApi, until, type ApiServer } from '../../support/apiServer.js';
import { bearer, startAuth, aToken } from '../../support/authServer.js';
import { stayInMinute } from '../../support/stayInMinute.js';

const ON = { RATE_LIMIT_DISABLED: 'false', TRUST_PROXY: '1' };
const as = (address: string, more: Record<string, string> = {}) => ({
  'X-Forwarded-For': address,
  ...more,
});

describe('rate limits', () => {
  stayInMinute();

  it('limits the reads of each address, IPv6 by network, and tells the limit', async () => {
    const api = await startApi({ env: { ...ON, RATE_LIMIT_READS: '3' } });
    try {
      const first = await api.get('/api/servers', as('192.0.2.1'));
      expect(first.status).to.equal(200);
      expect(first.headers['ratelimit-policy']).to.equal('"reads";q=3;w=60');
      expect(first.headers['ratelimit']).to.match(/^"reads";r=2;t=\d+$/);
      await api.get('/api/threads', as('192.0.2.1'));
      await api.get('/api/threads', as('192.0.2.1'));
      const refused = await api.get('/api/servers', as('192.0.2.1'));
      expect(refused.status).to.equal(429);
      expect(refused.json()).to.include({ code: 'RATE_LIMITED' });
      expect(Number(refused.headers['retry-after'])).to.be.within(1, 60);
      expect(refused.headers['cache-control']).to.equal('no-store');
      expect((await api.get('/api/servers', as('192.0.2.2'))).status).to.equal(200);
      for (const last of ['1', '2', '3']) await api.get('/', as(`2001:db8::${last}`));
      expect((await api.get('/', as('2001:db8::ffff'))).status).to.equal(429);
      expect((await api.get('/', as('2001:db8:0:1::1'))).status).to.equal(200);
    } finally {
      await api.close();
    }
  });

  it('does not believe X-Forwarded-For from everyone', async () => {
    const api = await startApi({ env: { RATE_LIMIT_DISABLED: 'false', RATE_LIMIT_READS: '2' } });
    try {
      for (const n of [1, 2]) expect((await api.get('/', as(`192.0.2.${n}`))).status).to.equal(200);
      expect((await api.get('/', as('192.0.2.3'))).status).to.equal(429);
    } finally {
      await api.close();
    }
  });

  it('counts requests that no route answers as reads, but no preflight of a browser', async () => {
    const api = await startApi({ env: { RATE_LIMIT_DISABLED: 'false', RATE_LIMIT_READS: '3' } });
    try {
      const preflight = { 'Access-Control-Request-Method': 'GET' };
      const answered = await api.send('OPTIONS', '/api/threads', preflight);
      expect([answered.status, answered.headers['ratelimit']]).to.deep.equal([204, undefined]);
      const asked = [];
      for (const [method, path] of [
        ['GET', '/nope'],
        ['PUT', '/api/threads'],
        ['OPTIONS', '/api/threads'],
        ['GET', '/nope'],
      ] as const) {
        const { status, headers } = await api.send(method, path);
        expect(headers['ratelimit-policy']).to.equal('"reads";q=3;w=60');
        asked.push([status, headers['ratelimit']?.toString().split(';')[1]]);
      }
      expect(asked).to.deep.equal([
        [404, 'r=2'],
        [405, 'r=1'],
        [204, 'r=0'],
        [429, 'r=0'],
      ]);
    } finally {
      await api.close();
    }
  });

  it('still answers health checks to an address beyond its limit', async () => {
    const limits = { RATE_LIMIT_READS: '2', RATE_LIMIT_CALLER: '1' };
    const api = await startAuth({ RATE_LIMIT_DISABLED: 'false', ...limits });
    try {
      const key = { 'X-API-Key': await api.key('read') };
      for (const headers of [{}, key]) {
        await api.get('/', headers);
        await api.get('/', headers);
        expect((await api.get('/', headers)).status).to.equal(429);
        for (const path of ['/healthz', '/readyz', '/healthz/']) {
          const reply = await api.get(path, headers);
          expect(reply.status, path).to.equal(200);
          expect(reply.headers, path).not.to.have.property('ratelimit');
        }
      }
    } finally {
      await api.close();
    }
  });

  it('limits searches separately from reads, and each caller separately', async () => {
    const env = { ...ON, RATE_LIMIT_SEARCHES: '1', RATE_LIMIT_READS: '2', RATE_LIMIT_CALLER: '4' };
    const api = await startAuth(env);
    try {
      await api.get('/api/search?q=a', as('192.0.2.1'));
      expect((await api.get('/api/suggest?q=a', as('192.0.2.1'))).status).to.equal(429);
      expect((await api.get('/', as('192.0.2.1'))).status).to.equal(200);
      const headers = as('192.0.2.1', { 'X-API-Key': await api.key('read') });
      const statuses = [];
      for (let n = 0; n < 5; n += 1) statuses.push((await api.get('/', headers)).status);
      expect(statuses).to.deep.equal([200, 200, 200, 200, 429]);
      const other = as('192.0.2.9', bearer(aToken({ sub: '42' })));
      expect((await api.get('/api/me', other)).headers['ratelimit-policy']).to.equal(
        '"caller";q=4;w=60',
      );
    } finally {
      await api.close();
    }
  });

  it('counts callers without a level by their address, however many accounts they have', async () => {
    const api = await startAuth({ ...ON, RATE_LIMIT_READS: '4', RATE_LIMIT_SEARCHES: '1' });
    try {
      const accounts = ['41', '42', '43', '44', '45'];
      const tokens: Record<string, string[]> = {
        'platform tokens': accounts.map((userId) => api.platform.newToken(userId)),
        'service tokens': accounts.map((sub) => aToken({ sub, scope: [] })),
      };
      for (const [n, [name, ofAccounts]] of Object.entries(tokens).entries()) {
        const told = [];
        for (const [turn, token] of ofAccounts.entries()) {
          const path = turn % 2 === 0 ? '/api/me' : '/api/servers';
          const { status, headers } = await api.get(path, as(`192.0.2.${n}`, bearer(token)));
          told.push([status, /^"reads";r=\d/.exec(String(headers['ratelimit']))?.[0]]);
        }
        expect(told, name).to.deep.equal([
          ...[3, 2, 1, 0].map((left) => [200, `"reads";r=${left}`]),
          [429, '"reads";r=0'],
        ]);
        const search = (token: string) =>
          api.get('/api/search?q=', as(`192.0.2.1${n}`, bearer(token)));
        const searches = [];
        for (const token of ofAccounts) searches.push((await search(token)).status);
        expect(searches, name).to.deep.equal([400, 429, 429, 429, 429]);
      }
    } finally {
      await api.close();
    }
  });

  it("counts a caller's search as ten of their requests", async () => {
    const api = await startAuth({ ...ON, RATE_LIMIT_CALLER: '32' });
    try {
      const headers = as('192.0.2.1', { 'X-API-Key': await api.key('read') });
      const told = [];
      for (const path of ['/api/search?q=', '/', '/api/suggest?q=', '/', '/api/search?q=', '/']) {
        const reply = await api.get(path, headers);
        told.push([reply.headers['ratelimit']?.toString().split(';')[1], reply.status === 429]);
      }
      expect(told).to.deep.equal([
        ['r=22', false],
        ['r=21', false],
        ['r=11', false],
        ['r=10', false],
        ['r=0', false],
        ['r=0', true],
      ]);
    } finally {
      await api.close();
    }
  });

  it('counts requests that fail before their caller is known as reads of the address', async () => {
    const api = await startAuth({ ...ON, RATE_LIMIT_READS: '2' });
    try {
      const key = await api.key('admin');
      const [late, other] = [-60, 3_600].map((expiresIn) => aToken({}, { expiresIn }));
      const platformToken = api.platform.newToken('42');
      api.platform.mood = 'failing';
      const failing: [string, Record<string, string>, number][] = [
        ['/admin/stats', bearer(late!), 401],
        ['/admin/stats', { 'X-API-Key': await api.key('admin', new Date(0)) }, 401],
        ['/api/me', { 'X-API-Key': key }, 403],
        ['/admin/stats', bearer(platformToken), 403],
        ['/api/me', bearer(platformToken), 503],
        ['/api/servers', { 'X-API-Key': key, ...bearer(other!) }, 400],
        ['/admin/stats', { 'X-API-Key': key, ...bearer(other!) }, 400],
      ];
      for (const [n, [path, headers, status]] of failing.entries()) {
        const sent = as(`192.0.2.${n}`, headers);
        const replies = [];
        for (let asked = 0; asked < 3; asked += 1) replies.push(await api.get(path, sent));
        const standing = replies.map((reply) => [
          reply.status,
          /^"reads";r=\d/.exec(String(reply.headers['ratelimit']))?.[0],
        ]);
        expect(standing, `${path} ${status}`).to.deep.equal([
          [status, '"reads";r=1'],
          [status, '"reads";r=0'],
          [429, '"reads";r=0'],
        ]);
      }
      expect(api.platform.requests, 'asked beyond the limit').to.have.length(2);
    } finally {
      await api.close();
    }
  });

  it('lets nobody fill the audit trail with refused requests', async () => {
    const api = await startAuth({ ...ON, RATE_LIMIT_FAILED_CREDENTIALS: '3' });
    try {
      for (const token of [(await api.logIn('42')).access_token, api.platform.newToken('42')]) {
        const stranger = as('192.0.2.3', bearer(token));
        expect((await api.send('DELETE', '/admin/threads/5', stranger)).status).to.equal(403);
      }
      expect(await api.stores.mongo.collections.audit.countDocuments()).to.equal(0);
      const reader = as('192.0.2.1', { 'X-API-Key': await api.key('read') });
      expect(await syncTimes(api, 5, reader)).to.deep.equal([403, 403, 403, 429, 429]);
      const elsewhere = { ...reader, ...as('192.0.2.2') };
      expect((await api.get('/admin/stats', elsewhere)).status).to.equal(200);
      const entries = await api.stores.mongo.collections.audit.find().toArray();
      expect(entries.map(({ outcome }) => outcome)).to.deep.equal(Array(3).fill('FORBIDDEN'));
    } finally {
      await api.close();
    }
    const few = await startAuth({ ...ON, RATE_LIMIT_CALLER: '2' });
    try {
      const writer = as('192.0.2.1', { 'X-API-Key': await few.key('write') });
      expect(await syncTimes(few, 4, writer)).to.deep.equal([503, 503, 429, 429]);
      expect(await few.stores.mongo.collections.audit.countDocuments()).to.equal(2);
    } finally {
      await few.close();
    }
  });

  it('limits 1,000 wrong credentials from one address, while others read on', async () => {
    const api = await startAuth({ ...ON, RATE_LIMIT_FAILED_CREDENTIALS: '50' });
    try {
      const guess = (n: number) => {
        const headers = as('192.0.2.66');
        if (n % 3 === 0) return api.get('/api/me', { ...headers, ...bearer(`a.b.${n}`) });
        if (n % 3 === 1) return api.get('/admin/keys', { ...headers, 'X-API-Key': `fa_${n}` });
        return api.send('POST', '/auth/refresh', headers, { refresh_token: `fr_${n}` });
      };
      const statuses = new Map<number, number>();
      const questions = async (): Promise<number> => {
        const metrics = (await api.get('/metrics')).body.toString();
        const count = /^forum_archive_store_call_duration_seconds_count\{store="mongodb"\} (\d+)$/m;
        return Number(count.exec(metrics)?.[1]);
      };
      await api.get('/api/threads', as('192.0.2.1'));
      const before = await questions();
      for (let n = 0; n < 1_000; n += 20) {
        const others = Array.from({ length: 20 }, (_, i) => guess(n + i));
        expect((await api.get('/api/threads', as('192.0.2.1'))).status).to.equal(200);
        for (const { status } of await Promise.all(others)) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      }
      expect([...statuses.keys()].sort()).to.deep.equal([403, 429]);
      expect(statuses.get(403)).to.be.within(50, 70);
      // Requests beyond the limit ask the store nothing, so others do not wait for it.
      expect((await questions()) - before).to.be.below(150);
    } finally {
      await api.close();
    }
  });

  it('accepts right credentials from an address that sends wrong ones', async () => {
    const api = await startAuth({ ...ON, RATE_LIMIT_FAILED_CREDENTIALS: '2' });
    try {
      const guess = as('192.0.2.66', { 'X-API-Key': unknownKey(1) });
      const wrong = async () => (await api.get('/admin/keys', guess)).status;
      expect([await wrong(), await wrong(), await wrong()]).to.deep.equal([403, 403, 429]);
      const right = as('192.0.2.66', { 'X-API-Key': await api.key('admin') });
      const token = as('192.0.2.66', bearer(aToken({ scope: ['read'] })));
      for (const headers of [right, token]) {
        expect((await api.get('/admin/stats', headers)).status).to.equal(200);
      }
      const login = { grant_type: 'authorization_code', code: api.platform.newCode('42') };
      const loggedIn = await api.send('POST', '/auth/token', as('192.0.2.1'), login);
      const { refresh_token } = loggedIn.json() as TokenResponse;
      const renew = (text: string) =>
        api.send('POST', '/auth/refresh', as('192.0.2.66'), { refresh_token: text });
      expect((await renew('fr_x')).status).to.equal(429);
      expect((await renew(refresh_token)).status).to.equal(200);
      expect(await wrong()).to.equal(429);
      // A credential that only the platform could check is not tried.
      const asked = api.platform.requests.length;
      const code = { grant_type: 'authorization_code', code: api.platform.newCode('42') };
      expect((await api.send('POST', '/auth/token', as('192.0.2.66'), code)).status).to.equal(429);
      const withKey = await api.send('POST', '/auth/token', right, code);
      expect(withKey.status, 'with a right key').to.equal(429);
      const user = as('192.0.2.66', bearer(api.platform.newToken('42')));
      expect((await api.get('/api/me', user)).status).to.equal(429);
      expect(api.platform.requests.length).to.equal(asked);
    } finally {
      await api.close();
    }
  });

  it('also counts wrong credentials on public operations, and asks the platform only on GET /api/me', async () => {
    const api = await startAuth({ ...ON, RATE_LIMIT_FAILED_CREDENTIALS: '3' });
    const began = api.platform.requests.length;
    const user = bearer(api.platform.newToken('42'));
    expect((await api.get('/api/servers', user)).status).to.equal(200);
    expect((await api.get('/admin/stats', user)).status).to.equal(403);
    expect(api.platform.requests.slice(began)).to.deep.equal([]);
    const wrong = { 'X-API-Key': 'wrong' };
    for (const _ of [1, 2]) expect((await api.get('/api/servers', wrong)).status).to.equal(200);
    expect((await api.get('/admin/stats', wrong)).status).to.equal(429);
    await api.close();
  });

  it('counts as wrong no expired credential, and no request that fails for another reason', async () => {
    const api = await startAuth({ ...ON, RATE_LIMIT_FAILED_CREDENTIALS: '1' });
    try {
      const headers = as('192.0.2.1');
      const expired = as('192.0.2.1', bearer(aToken({}, { expiresIn: -60 })));
      const wrong = as('192.0.2.1', { 'X-API-Key': unknownKey(1) });
      const told = [];
      for (const [path, sent] of [
        ['/nope', headers],
        ['/admin/keys', headers],
        ['/api/servers', expired],
        ['/admin/keys', expired],
        ['/admin/keys', wrong],
        ['/admin/keys', wrong],
      ] as const) {
        told.push((await api.get(path, sent)).status);
      }
      expect(told).to.deep.equal([404, 401, 200, 401, 403, 429]);
    } finally {
      await api.close();
    }
  });

  it('asks the platform about few wrong tokens where many processes share its limit', async () => {
    const api = await startAuth({ ...ON, API_PROCESSES: '256' });
    try {
      const told = [];
      for (let n = 0; n < 4; n += 1) {
        const { status, headers } = await api.get('/api/me', as('192.0.2.1', bearer(`wrong${n}`)));
        told.push([status, headers['retry-after']]);
      }
      // 256 processes may cause 900 refusals in a minute.
      const refused = [403, undefined];
      expect(told).to.deep.equal([refused, refused, refused, [503, '60']]);
    } finally {
      await api.close();
    }
  });

  it('asks MongoDB one query at a time, however many unknown keys come', async () => {
    const api = await startAuth();
    try {
      let questions = 0;
      const apiKeys = new Proxy(api.stores.mongo.collections.apiKeys, {
        get(target, name) {
          const value = Reflect.get(target, name, target) as unknown;
          if (typeof value !== 'function') return value;
          if (name === 'find' || name === 'findOne') questions += 1;
          return value.bind(target) as unknown;
        },
      });
      const check = createApiKeyChecker({ apiKeys });
      const right = await api.key('read');
      const tries = Array.from({ length: 200 }, (_, n) => check(unknownKey(n)));
      const outcomes = await Promise.allSettled([...tries, check(right)]);
      expect(outcomes.map(({ status }) => status)).to.deep.equal([
        ...Array<string>(200).fill('rejected'),
        'fulfilled',
      ]);
      expect(questions).to.equal(1);
    } finally {
      await api.close();
    }
  });

  it('is shared by processes through Redis', async () => {
    const settings = readSettings({ RATE_LIMIT_READS: '10', RATE_LIMIT_SEARCHES: '10' });
    const redis = createRedis(readSettings().REDIS_URL, { timeoutMs: 120_000 });
    await redis.connect();
    const namespace = `test_limits_${randomUUID().slice(0, 8)}`;
    const [one, two] = [1, 2].map(() => createRateLimits(settings, redis, namespace));
    try {
      const shared = () => redis.keys(`${namespace}:*`);
      for (let n = 0; n < 7; n += 1) one!.reads.take('192.0.2.1');
      // A process reads what others have shared when it shares a hit of its own.
      await until(async () => (await shared()).length > 0);
      for (let n = 0; n < 3; n += 1) two!.reads.take('192.0.2.1');
      // Searches of the same address have a count of their own.
      for (let n = 0; n < 4; n += 1) two!.searches.take('192.0.2.1');
      await until(() => two!.reads.look('192.0.2.1').left === 0);
      expect(two!.reads.take('192.0.2.1').left).to.equal(-1);
      expect(two!.reads.look('192.0.2.2').left).to.equal(10);
      await until(async () => (await shared()).length === 2);
      const keys = await shared();
      expect(await redis.ttl(keys[0]!)).to.be.within(1, 90);
      await redis.del(keys);
    } finally {
      one!.stop();
      two!.stop();
      redis.disconnect();
    }
  });

  it('is shared once Redis is there, with what was counted before', async () => {
    const settings = readSettings({ RATE_LIMIT_READS: '10' });
    const { REDIS_URL: url } = readSettings();
    const [late, early] = [1, 2].map(() => createRedis(url, { timeoutMs: 120_000 }));
    await early!.connect();
    const namespace = `test_limits_${randomUUID().slice(0, 8)}`;
    const [one, two] = [late!, early!].map((redis) => createRateLimits(settings, redis, namespace));
    const isShared = async (address: string) =>
      (await early!.keys(`${namespace}:*:${address}`)).length > 0;
    try {
      for (let n = 0; n < 7; n += 1) one!.reads.take('192.0.2.1');
      // Both share every second, so the first has tried to.
      for (const address of ['192.0.2.2', '192.0.2.3']) {
        two!.reads.take(address);
        await until(() => isShared(address));
      }
      await late!.connect();
      await until(() => isShared('192.0.2.1'));
      for (let n = 0; n < 3; n += 1) two!.reads.take('192.0.2.1');
      await until(() => two!.reads.look('192.0.2.1').left === 0);
      await early!.del(await early!.keys(`${namespace}:*`));
    } finally {
      one!.stop();
      two!.stop();
      late!.disconnect();
      early!.disconnect();
    }
  });

  it('goes on by itself while Redis is frozen', async () => {
    const { hostname, port } = new URL(readSettings().REDIS_URL);
    const proxy = await startProxy({ host: hostname, port: Number(port || 6_379) });
    const api = await startApi({
      redisUrl: urlThrough(readSettings().REDIS_URL, proxy),
      env: { ...ON, RATE_LIMIT_READS: '200' },
    });
    try {
      await api.get('/', as('192.0.2.1'));
      proxy.freeze();
      for (let n = 0; n < 199; n += 1) expect(await statusOf(api)).to.equal(200);
      expect(await statusOf(api)).to.equal(429);
    } finally {
      await api.close();
      await proxy.close();
    }
  });
});

/** A key in the right form that was never issued. */
function unknownKey(n: number): string {
  return `fa_${n.toString(16).padStart(16, '0')}_${'0'.repeat(48)}`;
}

async function syncTimes(api: ApiServer, times: number, headers: Record<string, string>) {
  const statuses = [];
  for (let n = 0; n < times; n += 1) {
    statuses.push((await api.send('POST', '/admin/sync', headers)).status);
  }
  return statuses;
}

async function statusOf(api: ApiServer): Promise<number> {
  return (await api.get('/', as('192.0.2.1'))).status;
}
