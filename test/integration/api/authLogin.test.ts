import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import type { TokenResponse } from '../../../shared/contract/auth.js';
import { newState } from '../../../services/api/auth/oauthState.js';
import { sign } from '../../../services/api/auth/signature.js';
import { currentUserSchema, tokenResponseSchema } from '../../../shared/contract/auth.js';
import { readSettings } from '../../../shared/platform/env.js';
import { until, type Reply } from '../../support/apiServer.js';
import {
  ADMIN_ID,
  aToken,
  bearer,
  JWT_SECRET,
  startAuth,
  USER_ID,
  type AuthServer,
} from '../../support/authServer.js';
import { CLIENT_ID, REDIRECT_URI, SERVER_ID, startPlatform } from '../../support/platformDouble.js';

const grant_type = 'authorization_code';
/** What a browser demands of a cookie whose name begins with `__Host-`, and what keeps it from scripts and sites. */
const COOKIE_PARTS = ['Path=/', 'Secure', 'HttpOnly', 'SameSite=Lax'];

describe('POST /auth/token', () => {
  let api: AuthServer;
  before(async () => {
    api = await startAuth();
  });
  after(() => api.close());
  beforeEach(() => {
    api.platform.mood = 'well';
  });

  const exchange = (body: object | string, headers: Record<string, string> = {}) =>
    api.send('POST', '/auth/token', { 'Content-Type': 'application/json', ...headers }, body);

  it('exchanges a code for a service token, and does not keep it', async () => {
    const code = api.platform.newCode(USER_ID);
    const reply = await exchange({ grant_type, code });
    expect(reply.status).to.equal(200);
    expect(reply.headers['cache-control']).to.equal('no-store');
    expect(reply.headers, 'no cookie was sent').not.to.have.property('set-cookie');
    const tokens = reply.json() as TokenResponse;
    expect(tokenResponseSchema.validate(tokens).error).to.equal(undefined);
    expect(tokens.expires_in).to.equal(86_400);
    const claims = jwt.verify(tokens.access_token, JWT_SECRET) as jwt.JwtPayload;
    expect(claims).to.include({ sub: USER_ID, iss: 'forum-archive', aud: 'forum-archive/2' });
    expect(claims['scope']).to.deep.equal([]);
    expect(claims.exp! - claims.iat!).to.equal(86_400);
    const again = await exchange({ grant_type, code });
    expect([again.status, codeOf(again)]).to.deep.equal([403, 'FORBIDDEN']);
  });

  it('gives users in ADMIN_USER_IDS every level, for a quarter of an hour', async () => {
    const { access_token, expires_in } = await api.logIn(ADMIN_ID);
    const { scope, exp, iat } = jwt.decode(access_token) as jwt.JwtPayload;
    expect(scope).to.deep.equal(['read', 'write', 'admin']);
    expect([expires_in, exp! - iat!]).to.deep.equal([900, 900]);
    const me = await api.get('/api/me', bearer(access_token));
    expect(me.json()).to.deep.equal({
      id: ADMIN_ID,
      username: `user${ADMIN_ID}`,
      avatar: `https://cdn.discordapp.com/avatars/${ADMIN_ID}/a_1234.png`,
      scope: ['read', 'write', 'admin'],
    });
  });

  it('takes every level from a user who is not in ADMIN_USER_IDS any more', async () => {
    const scope = ['read', 'write', 'admin'];
    const of = async (sub: string) => bearer(aToken({ sub, scope, sid: await api.login(sub) }));
    expect((await api.get('/admin/keys', await of(ADMIN_ID))).status).to.equal(200);
    const former = await of(USER_ID);
    for (const path of ['/admin/stats', '/admin/keys']) {
      const reply = await api.get(path, former);
      expect([reply.status, codeOf(reply)], path).to.deep.equal([403, 'FORBIDDEN']);
    }
    expect((await api.get('/api/me', former)).json()).to.deep.include({ id: USER_ID, scope: [] });
  });

  it('tells the lifetime of a token, which ends with its login', async () => {
    const short = await startAuth({ REFRESH_TOKEN_SECONDS: '60', ADMIN_TOKEN_SECONDS: '120' });
    const { access_token, expires_in } = await short.logIn(ADMIN_ID);
    await short.close();
    const { exp, iat } = jwt.decode(access_token) as jwt.JwtPayload;
    expect([expires_in, exp! - iat!]).to.deep.equal([60, 60]);
  });

  it('refuses codes that are wrong or late', async () => {
    for (const code of ['wrong', api.platform.newCode(USER_ID, { isLate: true })]) {
      const reply = await exchange({ grant_type, code });
      expect([reply.status, codeOf(reply)]).to.deep.equal([403, 'FORBIDDEN']);
    }
  });

  it('accepts only its own redirect address, exactly', async () => {
    for (const redirect_uri of [`${REDIRECT_URI}/`, 'https://evil.example/callback']) {
      const reply = await exchange({ grant_type, code: api.platform.newCode('7'), redirect_uri });
      expect([reply.status, codeOf(reply)]).to.deep.equal([400, 'VALIDATION_ERROR']);
    }
    const code = api.platform.newCode('7');
    const good = await exchange({ grant_type, code, redirect_uri: REDIRECT_URI });
    expect(good.status).to.equal(200);
  });

  it('names what is wrong with a body', async () => {
    const cases: [string, string, number, string][] = [
      ['{}', 'application/json', 400, 'VALIDATION_ERROR'],
      ['[]', 'application/json', 400, 'VALIDATION_ERROR'],
      ['{"grant_type":', 'application/json', 400, 'VALIDATION_ERROR'],
      ['{"grant_type":"password","code":"x"}', 'application/json', 400, 'VALIDATION_ERROR'],
      [
        `{"grant_type":"${grant_type}","code":{"$ne":1}}`,
        'application/json',
        400,
        'VALIDATION_ERROR',
      ],
      [
        `{"grant_type":"${grant_type}","code":"x","x":1}`,
        'application/json',
        400,
        'VALIDATION_ERROR',
      ],
      ['grant_type=x', 'application/x-www-form-urlencoded', 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['{}', 'text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['x'.repeat(20_000), 'application/json', 413, 'PAYLOAD_TOO_LARGE'],
    ];
    for (const [body, type, status, code] of cases) {
      const reply = await exchange(body, { 'Content-Type': type });
      expect([reply.status, codeOf(reply)], body.slice(0, 40)).to.deep.equal([status, code]);
    }
    const { details } = (await exchange({})).json() as { details: { path: string }[] };
    expect(details.map(({ path }) => path)).to.have.members(['grant_type', 'code']);
  });

  it('answers 503 with Retry-After while the platform fails, is garbled, or asks to wait', async () => {
    const away = await startAuth();
    for (const mood of ['failing', 'blocked', 'misread', 'garbled', 'limited'] as const) {
      away.platform.mood = mood;
      const reply = await away.send('POST', '/auth/token', {}, { grant_type, code: 'any' });
      expect([reply.status, codeOf(reply)], mood).to.deep.equal([503, 'UNAVAILABLE']);
      expect(reply.headers['retry-after']).to.equal(mood === 'limited' ? '8' : '5');
    }
    await away.close();
  });

  it('waits five seconds where the platform does not say how long, and an hour at most', async () => {
    for (const [asked, told] of [
      ['soon', '5'],
      ['0', '5'],
      ['90000', '3600'],
    ] as const) {
      const limited = await startAuth();
      Object.assign(limited.platform, { mood: 'limited', retryAfter: asked });
      const reply = await limited.send('POST', '/auth/token', {}, { grant_type, code: 'any' });
      await limited.close();
      expect([reply.status, reply.headers['retry-after']], asked).to.deep.equal([503, told]);
    }
  });

  it('sends credentials to the configured platform alone, even where that redirects', async () => {
    const [moved, other] = [await startAuth(), await startPlatform()];
    const { platform } = moved;
    Object.assign(platform, { mood: 'moved', movedTo: other.url });
    for (const reply of [
      await moved.send('POST', '/auth/token', {}, { grant_type, code: platform.newCode('7') }),
      await moved.get('/api/me', bearer(platform.newToken('7'))),
    ]) {
      expect([reply.status, codeOf(reply)]).to.deep.equal([503, 'UNAVAILABLE']);
    }
    await moved.close();
    await other.close();
    expect(platform.requests).to.deep.equal(['POST /oauth2/token', 'GET /users/@me']);
    expect(other.requests).to.deep.equal([]);
  });

  it('tells nobody but the operator why the platform cannot be reached, or answers too much', async () => {
    const away = await startAuth();
    const logIn = async () => {
      const code = away.platform.newCode('7');
      const reply = await away.send('POST', '/auth/token', {}, { grant_type, code });
      expect([reply.status, codeOf(reply)]).to.deep.equal([503, 'UNAVAILABLE']);
      expect(reply.headers['retry-after']).to.equal('5');
      expect(reply.body.toString()).not.to.match(/ECONN|too much|127\.0/);
    };
    away.platform.mood = 'verbose';
    await logIn();
    await away.platform.close();
    await logIn();
    await away.close();
    const told = JSON.stringify(away.log);
    expect(told).to.contain('The platform answered too much');
    // A connection may be kept until the platform closes it.
    expect(told).to.match(/ECONNREFUSED|ECONNRESET|other side closed/);
    expect(told).not.to.match(/PlantedCode|planted-client-secret/);
  });

  it('does not ask the platform before the time is over that it asked to wait', async () => {
    for (const asked of ['POST /oauth2/token', 'GET /users/@me']) {
      const limited = await startAuth();
      const { platform } = limited;
      Object.assign(platform, { mood: 'limited', retryAfter: '600' });
      const logIn = () => {
        const code = platform.newCode('7');
        return limited.send('POST', '/auth/token', {}, { grant_type, code });
      };
      const show = () => limited.get('/api/me', bearer(platform.newToken(USER_ID)));
      const first = asked === 'GET /users/@me' ? await show() : await logIn();
      expect(first.headers['retry-after']).to.equal('600');
      platform.mood = 'well';
      for (const reply of [await logIn(), await show()]) {
        expect([reply.status, codeOf(reply)]).to.deep.equal([503, 'UNAVAILABLE']);
        expect(Number(reply.headers['retry-after'])).to.be.within(1, 600);
      }
      await limited.close();
      expect(platform.requests).to.deep.equal([asked]);
    }
  });

  it('tells the operator in one line that the client secret is wrong', async () => {
    const wrong = await startAuth({ DISCORD_CLIENT_SECRET: 'of-another-application' });
    const logIn = () =>
      wrong.send('POST', '/auth/token', {}, { grant_type, code: wrong.platform.newCode('7') });
    for (const reply of [await logIn(), await logIn()]) {
      expect([reply.status, codeOf(reply)]).to.deep.equal([503, 'NOT_CONFIGURED']);
      expect(reply.json()).to.have.property('error').that.includes('client id and secret');
    }
    await wrong.close();
    expect(wrong.platform.requests, 'asked again at once').to.have.length(1);
    // On a busy machine, a store may be silent for a second.
    const told = wrong.log.filter(
      ({ level, msg }) => Number(level) > 30 && msg !== 'A store is away',
    );
    expect(told.map(({ level, msg }) => [level, msg])).to.deep.equal([
      [50, 'Nobody can log in: the platform refuses DISCORD_CLIENT_ID with DISCORD_CLIENT_SECRET'],
    ]);
  });

  it('gives up on a platform that does not answer, after five seconds', async () => {
    api.platform.mood = 'slow';
    const began = performance.now();
    const reply = await exchange({ grant_type, code: 'any' });
    expect([reply.status, codeOf(reply)]).to.deep.equal([503, 'UNAVAILABLE']);
    expect(performance.now() - began).to.be.above(4_500);
  });
});

describe('GET /auth/login', () => {
  let api: AuthServer;
  before(async () => {
    api = await startAuth();
  });
  after(() => api.close());

  const begin = async () => {
    const reply = await api.get('/auth/login');
    const [cookie = ''] = reply.headers['set-cookie'] ?? [];
    const location = new URL(String(reply.headers.location));
    return { reply, location, cookie, state: location.searchParams.get('state') ?? '' };
  };
  const finish = (state: string | undefined, cookie: string | undefined) => {
    const code = api.platform.newCode(USER_ID);
    const headers = cookie === undefined ? {} : { Cookie: cookie.split(';', 1)[0]! };
    return api.send('POST', '/auth/token', headers, { grant_type, code, ...(state && { state }) });
  };

  it('redirects to the platform, with a state that is also the browser’s cookie', async () => {
    const { reply, location, cookie, state } = await begin();
    expect(reply.status).to.equal(302);
    // Only an answer of 200 to a read may be held already.
    expect((await api.get('/auth/login', { 'If-None-Match': '*' })).status).to.equal(302);
    expect(reply.headers['cache-control']).to.equal('no-store');
    expect(location.origin + location.pathname).to.equal('https://discord.com/oauth2/authorize');
    expect(Object.fromEntries(location.searchParams)).to.deep.equal({
      client_id: CLIENT_ID,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'identify',
      state,
    });
    expect(cookie).to.contain(`=${state};`);
    const parts = ['Max-Age=600', ...COOKIE_PARTS];
    expect(cookie.split('; ').slice(1)).to.have.members(parts);
    expect((await begin()).state).not.to.equal(state);
  });

  it('takes no cookie that a neighbouring host could have set', async () => {
    const { state, cookie } = await begin();
    expect(cookie).to.match(/^__Host-forum_archive_login=/);
    const reply = await finish(state, cookie.replace('__Host-', ''));
    expect([reply.status, codeOf(reply)]).to.deep.equal([403, 'FORBIDDEN']);
  });

  it('sets a cookie for http where its own address is of http', async () => {
    const local = await startAuth({ DISCORD_REDIRECT_URI: 'http://localhost:3000/callback' });
    const { headers } = await local.get('/auth/login');
    await local.close();
    const [cookie, ...parts] = headers['set-cookie']![0]!.split('; ');
    expect(cookie).to.match(/^forum_archive_login=/);
    expect(parts).to.include('HttpOnly').and.not.include('Secure');
  });

  it('accepts a state once, from the browser that began', async () => {
    const { state, cookie } = await begin();
    const reply = await finish(state, cookie);
    expect(reply.status).to.equal(200);
    const [removal, ...parts] = reply.headers['set-cookie']![0]!.split('; ');
    expect(removal).to.equal('__Host-forum_archive_login=');
    expect(parts).to.have.members(['Max-Age=0', ...COOKIE_PARTS]);
    // MongoDB removes used states by their expiry.
    const used = await api.stores.mongo.collections.oauthStates.find().toArray();
    const expiresAt = new Date(Number(state.split('.')[1]) * 1_000);
    expect(used.map((one) => one.expiresAt)).to.deep.include(expiresAt);
    const again = await finish(state, cookie);
    expect([again.status, codeOf(again)]).to.deep.equal([403, 'FORBIDDEN']);
  });

  it('takes no state again after a code that the platform refused', async () => {
    const { state, cookie } = await begin();
    const headers = { Cookie: cookie.split(';', 1)[0]! };
    const body = { grant_type, code: 'wrong', state };
    const refused = await api.send('POST', '/auth/token', headers, body);
    expect(refused.json()).to.have.property('error').that.includes('code');
    const again = await finish(state, cookie);
    expect(again.status).to.equal(403);
    expect(again.json()).to.have.property('error').that.includes('state');
  });

  it('takes a state once more when the platform did not answer', async () => {
    const { state, cookie } = await begin();
    api.platform.retryAfter = '1';
    for (const mood of ['failing', 'limited'] as const) {
      api.platform.mood = mood;
      expect((await finish(state, cookie)).status, mood).to.equal(503);
    }
    api.platform.mood = 'well';
    let reply = await finish(state, cookie);
    await until(async () => {
      if (reply.status === 503) reply = await finish(state, cookie);
      return reply.status !== 503;
    });
    expect(reply.status).to.equal(200);
    for (const used of [state, `${state}.x`]) {
      expect((await finish(used, cookie.replace(state, used))).status).to.equal(403);
    }
  });

  it('calls no state wrong whose use could not be recorded', async () => {
    const { db } = api.stores.mongo;
    const { state, cookie } = await begin();
    await db.command({ collMod: 'oauthStates', validator: { expiresAt: null } });
    const { status } = await finish(state, cookie);
    await db.command({ collMod: 'oauthStates', validator: {} });
    expect(status).to.equal(500);
    expect((await finish(state, cookie)).status).to.equal(200);
  });

  it('refuses a state that is missing, from another browser, forged or late', async () => {
    const { state, cookie } = await begin();
    const other = await begin();
    const [nonce, expires, signature] = state.split('.');
    const forged = `${nonce}.${Number(expires) + 1}.${signature}`;
    const late = newState(JWT_SECRET, Date.now() - 601_000);
    const name = cookie.split('=', 1)[0]!;
    const cases: [string | undefined, string | undefined][] = [
      [undefined, cookie],
      [state, undefined],
      [state, other.cookie],
      [other.state, cookie],
      [forged, `${name}=${forged}`],
      ['x', `${name}=x`],
      [late, `${name}=${late}`],
    ];
    for (const [given, sent] of cases) {
      const reply = await finish(given, sent);
      expect([reply.status, codeOf(reply)], String(given)).to.deep.equal([403, 'FORBIDDEN']);
      const problem = given === undefined ? 'is missing' : 'is not valid';
      expect(reply.json()).to.have.property('error').that.includes(problem);
    }
    expect((await finish(state, cookie)).status).to.equal(200);
  });
});

describe('POST /auth/refresh', () => {
  let api: AuthServer;
  before(async () => {
    api = await startAuth();
  });
  after(() => api.close());

  const logIn = () => api.logIn(USER_ID);
  const refresh = (refresh_token: string) =>
    api.send('POST', '/auth/refresh', {}, { refresh_token });

  it('gives new tokens again and again', async () => {
    let { refresh_token } = await logIn();
    for (let turn = 0; turn < 3; turn += 1) {
      const reply = await refresh(refresh_token);
      expect(reply.status).to.equal(200);
      expect(tokenResponseSchema.validate(reply.json()).error).to.equal(undefined);
      const next = reply.json() as TokenResponse;
      expect(next.refresh_token).not.to.equal(refresh_token);
      expect((await api.get('/api/me', bearer(next.access_token))).status).to.equal(200);
      ({ refresh_token } = next);
    }
  });

  it('makes the login last as long again', async () => {
    const { refreshTokens } = api.stores.mongo.collections;
    const { refresh_token } = await logIn();
    const [, familyId = ''] = refresh_token.split('_');
    const soon = new Date(Date.now() + 60_000);
    await refreshTokens.updateOne({ _id: familyId }, { $set: { expiresAt: soon } });
    expect((await refresh(refresh_token)).status).to.equal(200);
    const family = await refreshTokens.findOne({ _id: familyId });
    expect(family!.expiresAt).to.be.above(new Date(soon.getTime() + 60_000));
  });

  it('gives tokens that last as long as their login, and that as long as is set', async () => {
    const { refreshTokens } = api.stores.mongo.collections;
    const lifeMs = readSettings({}).REFRESH_TOKEN_SECONDS * 1_000;
    const check = async ({ refresh_token }: TokenResponse, began: number) => {
      const [, familyId = '', , expires] = refresh_token.split('_');
      const { expiresAt } = (await refreshTokens.findOne({ _id: familyId }))!;
      expect(Number(expires)).to.equal(Math.floor(expiresAt.getTime() / 1_000));
      expect(expiresAt.getTime()).to.be.within(began + lifeMs, Date.now() + lifeMs);
    };
    const began = Date.now();
    const first = await logIn();
    await check(first, began);
    const renewed = Date.now();
    await check((await refresh(first.refresh_token)).json() as TokenResponse, renewed);
  });

  it('takes one of 50 parallel uses of a token', async () => {
    const { refresh_token } = await logIn();
    const replies = await Promise.all(Array.from({ length: 50 }, () => refresh(refresh_token)));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).to.have.length(1);
    expect(statuses.filter((status) => status === 403)).to.have.length(49);
  });

  it('revokes the whole family when a token is used again, and no other', async () => {
    const other = await logIn();
    const { refresh_token: first } = await logIn();
    const { refresh_token: second } = (await refresh(first)).json() as TokenResponse;
    const { refresh_token: third } = (await refresh(second)).json() as TokenResponse;
    expect(codeOf(await refresh(first))).to.equal('FORBIDDEN');
    for (const token of [third, second, first]) {
      const reply = await refresh(token);
      expect([reply.status, codeOf(reply)]).to.deep.equal([403, 'FORBIDDEN']);
    }
    expect((await refresh(other.refresh_token)).status).to.equal(200);
  });

  it('ends the tokens with a level, once the family is revoked', async () => {
    const other = await api.logIn(ADMIN_ID);
    const first = await api.logIn(ADMIN_ID);
    const second = (await refresh(first.refresh_token)).json() as TokenResponse;
    const ask = async ({ access_token }: TokenResponse) =>
      (await api.get('/admin/keys', bearer(access_token))).status;
    expect([await ask(first), await ask(second)]).to.deep.equal([200, 200]);
    expect((await refresh(first.refresh_token)).status).to.equal(403);
    await until(async () => (await ask(first)) === 403 && (await ask(second)) === 403);
    expect((await api.get('/api/me', bearer(second.access_token))).status).to.equal(403);
    expect(await ask(other)).to.equal(200);
  });

  it('refuses a token that was never issued, and does no harm to issued ones', async () => {
    const { refresh_token } = await logIn();
    const [form, family, generation, expires, signature] = /^(fr)_(\w+?)_(\d+)_(\d+)_(.*)$/
      .exec(refresh_token)!
      .slice(1) as [string, string, string, string, string];
    for (const token of [
      '',
      'x',
      `${form}_${family}_${Number(generation) + 1}_${expires}_${signature}`,
      `${form}_${family}_${generation}_${Number(expires) + 9}_${signature}`,
      `${refresh_token}x`,
      `x${refresh_token}`,
      refresh_token.slice(0, -1),
    ]) {
      const reply = await refresh(token);
      const expected = token === '' ? [400, 'VALIDATION_ERROR'] : [403, 'FORBIDDEN'];
      expect([reply.status, codeOf(reply)], token).to.deep.equal(expected);
    }
    expect((await refresh(refresh_token)).status).to.equal(200);
  });

  it('says that a token has expired', async () => {
    const [, family] = (await logIn()).refresh_token.split('_');
    const about = [family, 0, Math.floor(Date.now() / 1_000) - 1];
    const signature = sign(JWT_SECRET, 'refresh token', about.join('.'));
    const reply = await refresh(['fr', ...about, signature].join('_'));
    expect([reply.status, codeOf(reply)]).to.deep.equal([401, 'TOKEN_EXPIRED']);
  });

  it('ends a login whose record is gone', async () => {
    const { refresh_token } = await logIn();
    await api.stores.mongo.collections.refreshTokens.deleteMany({});
    expect((await refresh(refresh_token)).status).to.equal(403);
  });
});

describe('POST /auth/logout', () => {
  let api: AuthServer;
  before(async () => {
    api = await startAuth();
  });
  after(() => api.close());

  const post = (path: string, refresh_token: string) =>
    api.send('POST', path, {}, { refresh_token });
  const mayRead = async ({ access_token }: TokenResponse) =>
    (await api.get('/admin/keys', bearer(access_token))).status;

  it('ends the tokens of one login, by any of its refresh tokens, and no other login', async () => {
    const other = await api.logIn(ADMIN_ID);
    const first = await api.logIn(ADMIN_ID);
    const second = (await post('/auth/refresh', first.refresh_token)).json() as TokenResponse;
    expect([await mayRead(first), await mayRead(second)]).to.deep.equal([200, 200]);
    for (const token of [first.refresh_token, second.refresh_token]) {
      const held = { 'If-None-Match': '*' };
      const reply = await api.send('POST', '/auth/logout', held, { refresh_token: token });
      expect([reply.status, reply.json()]).to.deep.equal([200, { status: 'ended' }]);
      expect(reply.headers['cache-control']).to.equal('no-store');
    }
    expect((await post('/auth/refresh', second.refresh_token)).status).to.equal(403);
    await until(async () => (await mayRead(first)) === 403 && (await mayRead(second)) === 403);
    expect(await mayRead(other)).to.equal(200);
    expect((await post('/auth/refresh', other.refresh_token)).status).to.equal(200);
  });

  it('refuses a token that this service never issued', async () => {
    const { refresh_token } = await api.logIn(USER_ID);
    expect(codeOf(await post('/auth/logout', `${refresh_token}x`))).to.equal('FORBIDDEN');
    expect(codeOf(await api.send('POST', '/auth/logout', {}, {}))).to.equal('VALIDATION_ERROR');
    expect((await post('/auth/refresh', refresh_token)).status).to.equal(200);
  });
});

describe('GET /api/me', () => {
  let api: AuthServer;
  before(async () => {
    api = await startAuth();
  });
  after(() => api.close());
  beforeEach(() => {
    api.platform.mood = 'well';
  });

  it('describes the user of a platform token, and asks the platform only once in a while', async () => {
    const token = api.platform.newToken(USER_ID, { guilds: true });
    const began = api.platform.requests.length;
    const replies = await Promise.all([1, 2, 3].map(() => api.get('/api/me', bearer(token))));
    for (const reply of replies) {
      expect(reply.status).to.equal(200);
      expect(reply.headers['cache-control']).to.equal('private, no-store');
      expect(currentUserSchema.validate(reply.json()).error).to.equal(undefined);
      expect(reply.json()).to.deep.include({
        id: USER_ID,
        username: `user${USER_ID}`,
        scope: ['identify', 'guilds'],
        guilds: [{ id: SERVER_ID, name: 'Rust', icon: 'abc123' }],
      });
    }
    expect(api.platform.requests.slice(began)).to.deep.equal([
      'GET /users/@me',
      'GET /users/@me/guilds',
    ]);
  });

  it('does not send the platform a secret of this service that came in place of a token', async () => {
    const { refresh_token: refreshToken } = await api.logIn(USER_ID);
    const began = api.platform.requests.length;
    // What is as long as this is no token of the platform.
    for (const secret of [await api.key('admin'), refreshToken, 'a'.repeat(4_097)]) {
      const reply = await api.get('/api/me', bearer(secret));
      expect(reply.json()).to.include({ error: 'The token is not valid', code: 'FORBIDDEN' });
    }
    expect(api.platform.requests.slice(began)).to.deep.equal([]);
  });

  it('leaves servers out where the token does not show them', async () => {
    const reply = await api.get('/api/me', bearer(api.platform.newToken(USER_ID)));
    expect(reply.json()).to.deep.equal({
      id: USER_ID,
      username: `user${USER_ID}`,
      scope: ['identify'],
      avatar: `https://cdn.discordapp.com/avatars/${USER_ID}/a_1234.png`,
    });
  });

  it('shows one of six pictures for whom has none', async () => {
    // The platform counts milliseconds from the 22nd bit of an id on.
    const id = String((17n << 22n) + 1n);
    const reply = await api.get('/api/me', bearer(api.platform.newToken(id, { avatar: null })));
    expect(reply.json()).to.include({
      id,
      avatar: 'https://cdn.discordapp.com/embed/avatars/5.png',
    });
  });

  it('shows nobody whom the platform describes in another shape', async () => {
    const { platform } = api;
    for (const token of [
      platform.newToken('a/b'),
      platform.newToken('1'.repeat(21)),
      platform.newToken(USER_ID, { avatar: '../../x' }),
      platform.newToken(USER_ID, { avatar: '' }),
    ]) {
      const reply = await api.get('/api/me', bearer(token));
      expect([reply.status, codeOf(reply)]).to.deep.equal([503, 'UNAVAILABLE']);
    }
  });

  it('answers 503 while the platform cannot tell, and remembers no failure', async () => {
    const token = api.platform.newToken(USER_ID, { guilds: true });
    api.platform.retryAfter = '1';
    for (const mood of ['failing', 'garbled', 'blocked', 'barred', 'limited'] as const) {
      api.platform.mood = mood;
      const reply = await api.get('/api/me', bearer(token));
      expect([reply.status, codeOf(reply)], mood).to.deep.equal([503, 'UNAVAILABLE']);
      expect(reply.headers['retry-after']).to.match(/^\d+$/);
      expect(reply.headers['cache-control']).to.equal('private, no-store');
    }
    api.platform.mood = 'well';
    await until(async () => (await api.get('/api/me', bearer(token))).status === 200);
  });

  it('makes nobody wait for a token that has used up its own limit at the platform', async () => {
    const { platform } = api;
    const [limited, other] = [platform.newToken('41'), platform.newToken('42')];
    Object.assign(platform, { mood: 'token limited', retryAfter: '600' });
    expect((await api.get('/api/me', bearer(limited))).status).to.equal(503);
    platform.mood = 'well';
    const before = platform.requests.length;
    expect((await api.get('/api/me', bearer(limited))).status).to.equal(503);
    expect(platform.requests).to.have.length(before);
    expect((await api.get('/api/me', bearer(other))).status).to.equal(200);
    expect(await api.logIn('43')).to.have.property('access_token');
  });

  it('lets everybody wait where the platform limits this service, and not one user', async () => {
    const limited = await startAuth();
    const { platform } = limited;
    Object.assign(platform, { mood: 'token limited', retryAfter: '600' });
    const body = { grant_type, code: 'any' };
    expect((await limited.send('POST', '/auth/token', {}, body)).status).to.equal(503);
    platform.mood = 'well';
    const token = bearer(platform.newToken(USER_ID));
    expect((await limited.get('/api/me', token)).status).to.equal(503);
    await limited.close();
    expect(platform.requests).to.deep.equal(['POST /oauth2/token']);
  });

  it('names a service token’s user as at their last login, or else as who wrote', async () => {
    const { refreshTokens, members } = api.stores.mongo.collections;
    const named = async () => (await api.get('/api/me', bearer(aToken({ sub: '6' })))).json();
    const writer = { username: 'writer', avatar: 'https://a.example/6.png' };
    await members.insertOne({
      _id: `${SERVER_ID}/6`,
      userId: '6',
      serverId: SERVER_ID,
      ...writer,
    } as never);
    expect(await named()).to.deep.include({ id: '6', ...writer });
    const now = Date.now();
    for (const [name, createdAt] of [
      ['former', now - 2_000],
      ['latest', now],
      ['earlier', now - 1_000],
    ] as const) {
      const family = { ...writer, username: name, userId: '6', generation: 0 };
      const times = { createdAt: new Date(createdAt), expiresAt: new Date(now + 60_000) };
      await refreshTokens.insertOne({ _id: name, ...family, ...times });
    }
    expect(await named()).to.deep.include({ username: 'latest' });
  });

  it('takes a service token of a clock that is half a minute ahead', async () => {
    const iat = Math.floor(Date.now() / 1_000) + 20;
    expect((await api.get('/api/me', bearer(aToken({ iat })))).status).to.equal(200);
  });

  it('does not know more of a service token’s user than was told', async () => {
    const unknown = bearer(aToken({ sub: '5' }));
    expect((await api.get('/api/me', unknown)).json()).to.deep.equal({
      id: '5',
      username: null,
      avatar: null,
      scope: ['read'],
    });
  });
});

describe('logging in without its settings', () => {
  it('answers 503 NOT_CONFIGURED', async () => {
    for (const missing of [
      'JWT_SECRET',
      'DISCORD_CLIENT_ID',
      'DISCORD_CLIENT_SECRET',
      'DISCORD_REDIRECT_URI',
    ]) {
      const api = await startAuth({ [missing]: '' });
      try {
        const replies = [
          await api.get('/auth/login'),
          await api.send('POST', '/auth/token', {}, { grant_type, code: 'x' }),
          await api.send('POST', '/auth/refresh', {}, { refresh_token: 'x' }),
          await api.send('POST', '/auth/logout', {}, { refresh_token: 'x' }),
        ];
        for (const reply of replies) {
          expect([reply.status, codeOf(reply)]).to.deep.equal([503, 'NOT_CONFIGURED']);
        }
        expect((await api.get('/api/me', bearer('sometoken'))).status).to.be.oneOf([200, 403]);
        const serviceToken = bearer(aToken({ sub: USER_ID, scope: [] }));
        const me = await api.get('/api/me', serviceToken);
        expect(me.status).to.equal(missing === 'JWT_SECRET' ? 403 : 200);
      } finally {
        await api.close();
      }
    }
  });
});

function codeOf(reply: Reply): unknown {
  return (reply.json() as { code?: unknown }).code;
}
