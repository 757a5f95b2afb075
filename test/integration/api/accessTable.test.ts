import { createHmac, generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { SCOPES } from '../../../shared/contract/auth.js';
import type { Access, Operation } from '../../../shared/contract/operation.js';
import { operations } from '../../../shared/contract/operations.js';
import { revokeApiKey } from '../../../shared/store/apiKeys.js';
import type { Reply } from '../../support/apiServer.js';
import {
  aToken,
  bearer,
  JWT_SECRET,
  startAuth,
  USER_ID,
  type AuthServer,
} from '../../support/authServer.js';

/** Who may call what, said a second time: a new operation is refused here until somebody has thought about it. */
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
  exchangeCode: 'public',
  refreshToken: 'public',
  getMe: 'me',
  createKey: 'admin',
  listKeys: 'admin',
  revokeKey: 'admin',
  getAdminStats: 'read',
  listJobs: 'read',
  getJob: 'read',
  listAudit: 'read',
  listQuarantine: 'read',
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
  'passes' | '400 VALIDATION_ERROR' | '401 UNAUTHORIZED' | '401 TOKEN_EXPIRED' | '403 FORBIDDEN';

interface Sent {
  name: string;
  headers: Record<string, string | string[]>;
  /** What each kind of access answers; public operations take everything but two credentials. */
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

  it('is decided for every operation', () => {
    const declared = Object.values(operations).map(({ operationId, access }) => [
      operationId,
      access,
    ]);
    expect(Object.fromEntries(declared)).to.deep.equal(TABLE);
  });

  for (const operation of Object.values(operations) as Operation[]) {
    const { operationId, access, method, paths, errors } = operation;
    it(`of ${operationId} (${access}) depends on the credential as documented`, async () => {
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
      it(`of ${operationId} documents its refusals`, () => {
        expect(errors).to.include.members(['UNAUTHORIZED', 'TOKEN_EXPIRED', 'FORBIDDEN']);
      });
    }
  }

  it('of the pages about the queue (admin) depends on the credential alike', async () => {
    for (const { name, headers, verdict } of sent) {
      const reply = await api.get('/admin/queues', headers);
      expect(judge(reply), name).to.equal(verdict('admin'));
      expect(reply.headers['cache-control'], name).to.equal('private, no-store');
    }
  });

  it('of what is not under /admin (read) depends on the credential alike', async () => {
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

  it('of the metrics is for this machine: no credential of callers opens them to others', async () => {
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

/** Every credential that is tried, with what it is worth. */
async function credentials(api: AuthServer): Promise<Sent[]> {
  const levels = await Promise.all(
    SCOPES.map(async (level, rank) => {
      const allows = (access: Exclude<Access, 'public'>): Verdict =>
        access !== 'me' && SCOPES.indexOf(access) <= rank ? 'passes' : '403 FORBIDDEN';
      const orMe = (access: Exclude<Access, 'public'>) =>
        access === 'me' ? 'passes' : allows(access);
      return [
        { name: `${level} key`, headers: { 'X-API-Key': await api.key(level) }, verdict: allows },
        { name: `${level} token`, headers: bearer(aToken({ scope: [level] })), verdict: orMe },
      ];
    }),
  );
  return [
    { name: 'nothing', headers: {}, verdict: () => '401 UNAUTHORIZED' },
    ...levels.flat(),
    ...refusedTokens(),
    ...(await refusedKeys(api)),
    ...(await twoAtOnce(api)),
    {
      name: 'platform token',
      headers: bearer(api.platform.newToken(USER_ID)),
      verdict: (access) => (access === 'me' ? 'passes' : '403 FORBIDDEN'),
    },
    {
      name: 'token expired within the skew',
      // Made anew each time: it must not leave the skew while the tests run.
      get headers() {
        return bearer(aToken({ scope: ['admin'] }, { expiresIn: -10 }));
      },
      verdict: () => 'passes',
    },
    {
      name: 'expired token',
      headers: bearer(aToken({ scope: ['admin'] }, { expiresIn: -60 })),
      verdict: () => '401 TOKEN_EXPIRED',
    },
  ];
}

function refusedTokens(): Sent[] {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsa = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const claims = { sub: USER_ID, scope: ['admin'] };
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
    'no exp': jwt.sign(claims, JWT_SECRET),
    'no sub': aToken({ ...claims, sub: '' }),
    'no scope': aToken({ scope: undefined }),
    'scope as text': aToken({ scope: 'admin' }),
    'unknown scope': aToken({ scope: ['root'] }),
    'other issuer': aToken({ ...claims, iss: 'elsewhere' }),
    'other audience': aToken({ ...claims, aud: ['elsewhere'] }),
    'issued tomorrow': aToken({ ...claims, iat: Math.floor(Date.now() / 1_000) + 86_400 }),
  };
  const headers: Sent[] = ['Basic YTpi', 'Bearer', 'Bearer a b', 'garbage', ''].map((value) => ({
    name: `Authorization: ${value}`,
    headers: { Authorization: value },
    verdict: REFUSED,
  }));
  return Object.entries(tokens)
    .map(([name, token]): Sent => ({ name, headers: bearer(token), verdict: REFUSED }))
    .concat(headers);
}

async function refusedKeys(api: AuthServer): Promise<Sent[]> {
  const expired = await api.key('admin', new Date(Date.now() - 1_000));
  const revoked = await api.key('admin');
  await revokeApiKey(api.stores.mongo.collections, revoked.split('_')[1]!);
  const good = await api.key('admin');
  const keys: Record<string, string> = {
    'garbage key': 'garbage',
    'empty key': '',
    'unknown key': `fa_${'0'.repeat(16)}_${'0'.repeat(48)}`,
    'key with another secret': good.replace(/.{4}$/, '0000'),
    'key with another id': good.replace(/^fa_.{4}/, 'fa_0000'),
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
  const token = bearer(aToken({ scope: ['admin'] })).Authorization;
  const pairs: Sent['headers'][] = [
    { 'X-API-Key': key, Authorization: token },
    { 'X-API-Key': [key, key] },
    { Authorization: [token, token] },
    { 'X-API-Key': 'garbage', Authorization: token },
  ];
  return pairs.map((headers, number) => ({
    ...{ name: `two credentials ${number}`, headers },
    ...{ verdict: () => '400 VALIDATION_ERROR' as const, onPublic: '400 VALIDATION_ERROR' },
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

/** A token signed by HMAC with a public key, which libraries refuse to do. */
function hmacToken(claims: object, secret: string): string {
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
