import { createHmac, generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { AUDIENCE, CLOCK_SKEW_SECONDS, ISSUER } from '../../../services/api/auth/serviceClaims.js';
import { SCOPES } from '../../../shared/contract/scopes.js';
import type { Access, Operation } from '../../../shared/contract/operation.js';
import { operations } from '../../../shared/contract/operations.js';
import { revokeApiKey } from '../../../shared/store/apiKeys.js';
import type { Reply } from '../../support/apiServer.js';
import {
  ADMIN_ID,
  aToken,
  bearer,
  JWT_SECRET,
  startAuth,
  USER_ID,
  type AuthServer,
} from '../../support/authServer.js';

/** Who may call each operation, written a second time. A new operation fails here until somebody has decided this. */
const TABLE: Record<string, Access> = {
  getIndex: 'public',
  getOpenApi: 'public',
  getHealth: 'public',
  getReadiness: 'public',
  listServers: 'public',
  getServer: 'public',
  listChannels: 'public',
  listTags: 'public',
  getServerStats: 'public',
  listThreads: 'public',
  getThread: 'public',
  listSimilarThreads: 'public',
  listParticipants: 'public',
  searchArchive: 'public',
  suggestTitles: 'public',
  getUser: 'public',
  getLeaderboard: 'public',
  login: 'public',
  openAttachment: 'public',
  openAvatar: 'public',
  openIcon: 'public',
  exchangeCode: 'public',
  refreshToken: 'public',
  logOut: 'public',
  getMe: 'me',
  createKey: 'admin',
  listKeys: 'admin',
  revokeKey: 'admin',
  getAdminStats: 'read',
  listJobs: 'write',
  getJob: 'write',
  listAudit: 'admin',
  listQuarantine: 'write',
  retryQuarantined: 'write',
  retryJob: 'write',
  importExport: 'write',
  sync: 'write',
  reindex: 'write',
  verify: 'write',
  refreshStats: 'write',
  deleteThread: 'admin',
  deleteChannel: 'admin',
  deleteServer: 'admin',
  deleteMessage: 'admin',
  eraseUser: 'admin',
};

type Verdict =
  | 'passes'
  | '400 VALIDATION_ERROR'
  | '401 UNAUTHORIZED'
  | '401 TOKEN_EXPIRED'
  | '403 FORBIDDEN';

interface Sent {
  name: string;
  headers: Record<string, string | string[]>;
  /** The answer for each kind of access. Public operations accept everything except two credentials. */
  verdict: (access: Exclude<Access, 'public'>) => Verdict;
  onPublic?: Verdict;
}

const REFUSED = () => '403 FORBIDDEN' as const;

describe('access', () => {
  let api: AuthServer;
  const sent: Sent[] = [];
  before(async () => {
    api = await startAuth();
    sent.push(...(await credentials(api)));
  });
  after(() => api.close());

  it('is defined for every operation', () => {
    const declared = Object.values(operations).map(({ operationId, access }) => [
      operationId,
      access,
    ]);
    const hint = 'TABLE and docs/credentials.md have to say who may call it';
    expect(Object.fromEntries(declared), hint).to.deep.equal(TABLE);
  });

  for (const operation of Object.values(operations) as Operation[]) {
    const { operationId, access, method, paths, errors } = operation;
    it(`to ${operationId} (${access}) depends on the credential as documented`, async () => {
      expect(sent.length).to.be.above(20);
      for (const { name, headers, verdict, onPublic = 'passes' } of sent) {
        const expected = access === 'public' ? onPublic : verdict(access);
        for (const path of paths) {
          const target = path.replace(/:\w+/g, '1');
          const reply = await api.send(method.toUpperCase(), target, headers);
          expect(judge(reply), `${name} at ${path}`).to.equal(expected);
          if (access === 'public') continue;
          expect(reply.headers['cache-control'], name).to.equal('private, no-store');
          if (reply.status === 401) {
            expect(reply.headers['www-authenticate'], name).to.match(/^Bearer realm=/);
          }
        }
      }
    });

    if (access !== 'public') {
      it(`to ${operationId} has its refusals documented`, () => {
        expect(errors).to.include.members(['UNAUTHORIZED', 'TOKEN_EXPIRED', 'FORBIDDEN']);
      });
    }
  }

  it('to the pages about the queue (admin) depends on the credential in the same way', async () => {
    for (const { name, headers, verdict } of sent) {
      const reply = await api.get('/admin/queues', headers);
      expect(judge(reply), name).to.equal(verdict('admin'));
      expect(reply.headers['cache-control'], name).to.equal('private, no-store');
    }
  });

  it('to unknown paths under /admin (read) depends on the credential in the same way', async () => {
    for (const { name, headers, verdict } of sent) {
      for (const [method, path, status] of [
        ['POST', '/admin/anything', 404],
        ['GET', '/admin', 404],
        ['GET', '/api/admin/stats', 404],
        ['PUT', '/admin/stats', 405],
      ] as const) {
        const reply = await api.send(method, path, headers);
        expect(judge(reply), `${name} at ${path}`).to.equal(verdict('read'));
        if (verdict('read') === 'passes') expect(reply.status, name).to.equal(status);
        expect(reply.headers['cache-control'], name).to.equal('private, no-store');
      }
    }
    const options = await api.send('OPTIONS', '/admin/stats');
    expect([options.status, options.headers.allow]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
  });

  it('names the credentials that it needs where none was sent', async () => {
    const said = await Promise.all(
      ['/api/me', '/admin/stats'].map(async (path) => (await api.get(path)).json()),
    );
    expect(said).to.deep.equal([
      { error: 'This needs a bearer token', code: 'UNAUTHORIZED' },
      { error: 'This needs an X-API-Key header or a bearer token', code: 'UNAUTHORIZED' },
    ]);
  });

  it('is refused to a token whose claims make no sense, even if it is signed correctly', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const good = {
      iss: ISSUER,
      aud: AUDIENCE,
      iat: now,
      exp: now + 3_600,
      sub: ADMIN_ID,
      scope: ['admin'],
      sid: await api.login(ADMIN_ID),
    };
    for (const path of ['/api/me', '/admin/stats', '/admin/keys']) {
      const reply = await api.get(path, bearer(signed(JSON.stringify(good))));
      expect(reply.status, path).to.equal(200);
      for (const claims of malformedClaims(good)) {
        const refused = await api.get(path, bearer(signed(claims)));
        expect([refused.status, refused.json()], `${claims} at ${path}`).to.deep.equal([
          403,
          { error: 'The token is not valid', code: 'FORBIDDEN' },
        ]);
      }
    }
    for (const claims of malformedClaims(good)) {
      const reply = await api.get('/api/servers', bearer(signed(claims)));
      expect(reply.status, claims).to.equal(200);
    }
  });

  it('to the metrics is for this machine: no credential of callers opens them to others', async () => {
    for (const { name, headers } of sent) {
      expect((await api.get('/metrics', headers)).status, name).to.equal(200);
      const remote = { ...headers, 'X-Forwarded-For': '203.0.113.9' };
      const { status, headers: told } = await api.get('/metrics', remote);
      expect(status, name).to.be.oneOf([401, 403]);
      expect(told['cache-control'], name).to.equal('private, no-store');
    }
  });

  it('gives public answers that do not differ by credential', async () => {
    const anonymous = await api.get('/api/threads');
    const known = await api.get('/api/threads', { 'X-API-Key': await api.key('admin') });
    expect(known.body).to.deep.equal(anonymous.body);
    expect(known.headers['cache-control']).to.equal(anonymous.headers['cache-control']);
    expect(anonymous.headers['cache-control']).to.match(/^public/);
  });
});

/** All credentials that are tried, each with what it is worth. */
async function credentials(api: AuthServer): Promise<Sent[]> {
  const admin = { sub: ADMIN_ID, scope: ['admin'], sid: await api.login(ADMIN_ID) };
  const levels = await Promise.all(
    SCOPES.map(async (level, rank) => {
      const allows = (access: Exclude<Access, 'public'>): Verdict =>
        access !== 'me' && SCOPES.indexOf(access) <= rank ? 'passes' : '403 FORBIDDEN';
      const orMe = (access: Exclude<Access, 'public'>) =>
        access === 'me' ? 'passes' : allows(access);
      return [
        { name: `${level} key`, headers: { 'X-API-Key': await api.key(level) }, verdict: allows },
        { name: `${level} token`, headers: bearer(await api.token(level)), verdict: orMe },
      ];
    }),
  );
  return [
    { name: 'nothing', headers: {}, verdict: () => '401 UNAUTHORIZED' },
    {
      name: 'password',
      headers: { Authorization: 'Basic YTpi' },
      verdict: () => '401 UNAUTHORIZED',
    },
    ...levels.flat(),
    ...(await withoutLevel(api)),
    ...refusedTokens(await api.login(ADMIN_ID)),
    ...(await endedLogins(api)),
    ...(await refusedKeys(api)),
    ...(await twoAtOnce(api)),
    {
      name: 'token expired within the skew',
      // It is made anew each time, so that it does not leave the allowed skew while the tests run.
      get headers() {
        return bearer(aToken(admin, { expiresIn: -10 }));
      },
      verdict: () => 'passes',
    },
    {
      name: 'expired token',
      headers: bearer(aToken(admin, { expiresIn: -CLOCK_SKEW_SECONDS - 1 })),
      verdict: () => '401 TOKEN_EXPIRED',
    },
    {
      name: 'expired token of before',
      headers: bearer(aToken({ ...admin, aud: 'forum-archive' }, { expiresIn: -60 })),
      verdict: () => '401 TOKEN_EXPIRED',
    },
  ];
}

/** Users without any level. */
async function withoutLevel(api: AuthServer): Promise<Sent[]> {
  const sid = await api.login(USER_ID);
  const tokens: Record<string, string> = {
    'platform token': api.platform.newToken(USER_ID),
    'login of a stranger': (await api.logIn(USER_ID)).access_token,
    'token without a level': aToken({ scope: [] }),
    'login of a user who is no admin any more': aToken({ sid, scope: ['read', 'write', 'admin'] }),
  };
  return Object.entries(tokens).map(([name, token]) => ({
    name,
    headers: bearer(token),
    verdict: (access) => (access === 'me' ? 'passes' : '403 FORBIDDEN'),
  }));
}

/** Tokens whose login has ended, belongs to another user, or is missing. */
async function endedLogins(api: AuthServer): Promise<Sent[]> {
  const { refreshTokens } = api.stores.mongo.collections;
  const revoked = await api.login(ADMIN_ID);
  await refreshTokens.updateOne({ _id: revoked }, { $set: { revokedAt: new Date() } });
  const claims = { sub: ADMIN_ID, scope: ['admin'] };
  const tokens: Record<string, string> = {
    'token of a revoked login': aToken({ ...claims, sid: revoked }),
    'token of an unknown login': aToken({ ...claims, sid: '0'.repeat(32) }),
    'token of the login of another': aToken({ ...claims, sid: await api.login(USER_ID) }),
    'write token without a login': aToken({ ...claims, scope: ['read', 'write'] }),
    'admin token without a login': aToken(claims),
  };
  return Object.entries(tokens).map(([name, token]) => ({
    name,
    headers: bearer(token),
    verdict: REFUSED,
  }));
}

/** Tokens that are wrong in themselves. `sid` is a valid login. */
function refusedTokens(sid: string): Sent[] {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsa = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const claims = { sub: ADMIN_ID, scope: ['admin'], sid };
  const now = Math.floor(Date.now() / 1_000);
  const none = `${part({ alg: 'none', typ: 'JWT' })}.${part({ ...claims, exp: 9_999_999_999 })}.`;
  const good = aToken(claims);
  const tokens: Record<string, string> = {
    'garbage bearer': 'garbage',
    'garbage token': 'a.b.c',
    'other secret': aToken(claims, { secret: 'another-secret-of-more-than-32-characters' }),
    'other secret, expired': aToken(claims, { secret: 'x'.repeat(40), expiresIn: -60 }),
    HS512: aToken(claims, { algorithm: 'HS512' }),
    RS256: aToken(claims, { secret: rsa, algorithm: 'RS256' }),
    'public key as secret': hmacToken({ ...claims, exp: 9_999_999_999 }, pem),
    'alg none': none,
    'signature cut off': good.replace(/[^.]+$/, ''),
    'signature changed': `${good.slice(0, -4)}AAAA`,
    'claims changed': good.replace(/\.[^.]+\./, `.${part({ ...claims, exp: 9_999_999_999 })}.`),
    'other issuer': aToken({ ...claims, iss: 'elsewhere' }),
    'no issuer': aToken({ ...claims, iss: undefined }),
    'other audience': aToken({ ...claims, aud: ['elsewhere'] }),
    'issued tomorrow': aToken({ ...claims, iat: now + 86_400 }),
    'valid from tomorrow on': aToken({ ...claims, nbf: now + 86_400 }),
    'of before': aToken({ ...claims, aud: 'forum-archive' }),
    'of before, to read': aToken({ sub: USER_ID, aud: 'forum-archive', scope: ['read'] }),
    'of before, without an audience': aToken({ ...claims, aud: undefined, iss: undefined }),
  };
  const headers: Sent[] = ['Bearer', 'Bearer a b', 'garbage', ''].map((value) => ({
    name: `Authorization: ${value}`,
    headers: { Authorization: value },
    verdict: REFUSED,
  }));
  return Object.entries(tokens)
    .map(([name, token]): Sent => ({ name, headers: bearer(token), verdict: REFUSED }))
    .concat(headers);
}

/** Texts in place of claims. Each has one claim that makes no sense. */
function malformedClaims(good: { iat: number; sid: string }): string[] {
  const query = { $gt: '' };
  const values: Record<string, unknown[]> = {
    sub: [undefined, null, '', 5, {}, query, ['5'], 'name', '1 ', '9'.repeat(21)],
    scope: [undefined, null, 'admin', {}, [null], [{}], ['root'], ['admin', 'root'], [['admin']]],
    exp: [undefined, null, '9999999999', {}, query, good.iat + 604_801],
    iat: [undefined, null, '1', String(good.iat), {}, query, -1, 0],
    sid: [null, 5, {}, query, [good.sid], 'x'],
    aud: [undefined, null, 5, query],
    iss: [undefined, null, 5, query],
  };
  const texts = Object.entries(values).flatMap(([claim, wrong]) =>
    wrong.map((value) => JSON.stringify({ ...good, [claim]: value })),
  );
  const endless = JSON.stringify({ ...good, exp: 0 }).replace('"exp":0', '"exp":1e999');
  const nobody = ['name', 'x1', '1x'].map((sub) =>
    JSON.stringify({ ...good, sub, scope: [], sid: undefined }),
  );
  return [...texts, endless, ...nobody, 'null', '[]', '5', '"text"', '{'];
}

async function refusedKeys(api: AuthServer): Promise<Sent[]> {
  const expired = await api.key('admin', new Date(Date.now() - 1));
  const revoked = await api.key('admin');
  await revokeApiKey(api.stores.mongo.collections, revoked.split('_')[1]!);
  const good = await api.key('admin');
  const keys: Record<string, string> = {
    'garbage key': 'garbage',
    'empty key': '',
    'unknown key': `fa_${'0'.repeat(16)}_${'0'.repeat(48)}`,
    'key with another secret': good.slice(0, -1) + (good.endsWith('0') ? '1' : '0'),
    'key with another id': good.replace(/^fa_./, (start) => (start === 'fa_0' ? 'fa_1' : 'fa_0')),
    'revoked key': revoked,
    injection: '{"$gt":""}',
  };
  return [
    ...Object.entries(keys).map(([name, key]) => ({
      name,
      headers: { 'X-API-Key': key },
      verdict: REFUSED,
    })),
    {
      name: 'expired key',
      headers: { 'X-API-Key': expired },
      verdict: (access) => (access === 'me' ? '403 FORBIDDEN' : '401 TOKEN_EXPIRED'),
    },
  ];
}

async function twoAtOnce(api: AuthServer): Promise<Sent[]> {
  const key = await api.key('admin');
  const token = bearer(await api.token('admin')).Authorization;
  const pairs: Sent['headers'][] = [
    { 'X-API-Key': key, Authorization: token },
    { 'X-API-Key': [key, key] },
    { Authorization: [token, token] },
    { 'X-API-Key': 'garbage', Authorization: token },
  ];
  return pairs.map((headers, number) => ({
    name: `two credentials ${number}`,
    headers,
    verdict: () => '400 VALIDATION_ERROR' as const,
    onPublic: '400 VALIDATION_ERROR',
  }));
}

function judge(reply: Reply): string {
  const type = String(reply.headers['content-type']);
  const { error = '', code = '' } = type.startsWith('application/json')
    ? (reply.json() as { error?: string; code?: string })
    : {};
  const isRefusal = reply.status === 401 || reply.status === 403 || error.includes('credential');
  return isRefusal ? `${reply.status} ${code}` : 'passes';
}

/** A token that is signed by HMAC with a public key. Libraries refuse to make one. */
function hmacToken(claims: object, secret: string): string {
  return signed(JSON.stringify(claims), secret);
}

/** A token with any text as its claims. Libraries refuse to sign one. */
function signed(claims: string, secret = JWT_SECRET): string {
  const encoded = Buffer.from(claims).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${encoded}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
