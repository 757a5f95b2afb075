import { expect } from 'chai';
import type { TokenResponse } from '../../../shared/contract/auth.js';
import type { Reply } from '../../support/apiServer.js';
import {
  bearer,
  JWT_SECRET,
  startAuth,
  USER_ID,
  aToken,
  type AuthServer,
} from '../../support/authServer.js';
import { CLIENT_SECRET } from '../../support/platformDouble.js';

const BOT_TOKEN = 'planted-bot-token-77aa';

describe('secrets', () => {
  let api: AuthServer;
  /** Everything that was answered, except the answers that hand out a secret. */
  const answered: string[] = [];
  const secrets: Record<string, string> = {};

  before(async () => {
    api = await startAuth({ DISCORD_BOT_TOKEN: BOT_TOKEN });
    await plant();
  });
  after(() => api.close());

  async function plant(): Promise<void> {
    const { platform } = api;
    const headers = { 'X-API-Key': (secrets['admin key'] = await api.key('admin')) };
    const body = { name: 'planted', level: 'read' };
    const created = await api.send('POST', '/admin/keys', headers, body);
    secrets['created key'] = (created.json() as { key: string }).key;
    secrets['code'] = platform.newCode(USER_ID);
    const login = await logIn(secrets['code']);
    secrets['service token'] = login.access_token;
    secrets['refresh token'] = login.refresh_token;
    secrets['platform token'] = platform.newToken(USER_ID, { guilds: true });
    Object.assign(secrets, {
      'JWT secret': JWT_SECRET,
      'client secret': CLIENT_SECRET,
      'bot token': BOT_TOKEN,
      'platform refresh token': 'PlantedPlatformRefresh',
      'wrong code': 'PlantedWrongCode',
      'foreign token': aToken({}, { secret: 'y'.repeat(40) }),
      'wrong key': 'fa_planted_key',
    });
    for (const mood of ['well', 'failing', 'limited', 'garbled'] as const) {
      platform.mood = mood;
      await useAll(headers);
    }
    platform.mood = 'well';
    const next = await refresh(secrets['refresh token']);
    secrets['next refresh token'] = (next.json() as TokenResponse).refresh_token;
    keep(await refresh(secrets['refresh token']));
    keep(await refresh(secrets['next refresh token']));
    keep(await api.send('DELETE', `/admin/keys/${secrets['created key'].split('_')[1]}`, headers));
    keep(await api.get('/admin/keys', { 'X-API-Key': secrets['created key'] }));
  }

  async function useAll(headers: Record<string, string>): Promise<void> {
    const json = { 'Content-Type': 'application/json' };
    const wrongCode = { grant_type: 'authorization_code', code: secrets['wrong code'] };
    keep(await api.send('POST', '/auth/token', {}, wrongCode));
    keep(await api.send('POST', '/auth/token', json, `{"code":"${secrets['wrong code']}",`));
    keep(await api.send('POST', '/auth/refresh', {}, { refresh: secrets['refresh token'] }));
    for (const name of ['service token', 'platform token', 'foreign token']) {
      keep(await api.get('/api/me', bearer(secrets[name]!)));
      keep(await api.get('/admin/keys', bearer(secrets[name]!)));
      keep(await api.get(`/api/threads?token=${secrets[name]}`, bearer(secrets[name]!)));
    }
    keep(await api.get('/admin/keys', headers));
    keep(await api.get('/admin/keys', { 'X-API-Key': secrets['wrong key']! }));
    keep(await api.get('/admin/keys', { ...headers, ...bearer(secrets['service token']!) }));
    for (const path of ['/', '/openapi.json', '/readyz', '/nope'])
      keep(await api.get(path, headers));
  }

  async function logIn(code: string): Promise<TokenResponse> {
    const body = { grant_type: 'authorization_code', code };
    return (await api.send('POST', '/auth/token', {}, body)).json() as TokenResponse;
  }

  function refresh(refresh_token: string): Promise<Reply> {
    return api.send('POST', '/auth/refresh', {}, { refresh_token });
  }

  function keep(reply: Reply): void {
    answered.push(`${JSON.stringify(reply.headers)} ${reply.body.toString()}`);
  }

  it('are in use', () => {
    expect(Object.values(secrets)).to.have.length.above(12);
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret, name).to.be.a('string').with.length.above(10);
    }
    expect(answered.length).to.be.above(40);
    expect(answered.join('\n'))
      .to.match(/"code":"FORBIDDEN"/)
      .and.match(/"code":"UNAVAILABLE"/);
    expect(api.log.length).to.be.above(40);
  });

  it('are in no line of the log', () => {
    expectNone(api.log.map((line) => JSON.stringify(line)).join('\n'), 'the log');
  });

  it('are in no answer other than those that hand them out', () => {
    expectNone(answered.join('\n'), 'the answers');
  });

  it('are in no collection, and not in Redis', async () => {
    const { db } = api.stores.mongo;
    const names = (await db.listCollections().toArray()).map(({ name }) => name);
    expect(names).to.include.members(['apiKeys', 'refreshTokens']);
    for (const name of names) {
      const documents = await db.collection(name).find().toArray();
      expectNone(JSON.stringify(documents), name);
    }
    const { redis, mongo } = api.stores;
    for (const key of await redis.keys(`${mongo.namespace}:*`)) expectNone(key, 'Redis');
  });

  function expectNone(text: string, where: string): void {
    for (const [name, secret] of Object.entries(secrets)) {
      expect(text.includes(secret), `${name} in ${where}`).to.equal(false);
      const tail = secret.slice(-12);
      expect(text.includes(tail), `the end of the ${name} in ${where}`).to.equal(false);
    }
  }
});
