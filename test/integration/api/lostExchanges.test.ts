import { expect } from 'chai';
import { MongoNetworkTimeoutError } from 'mongodb';
import { beginFamily, endFamily, rotate } from '../../../services/api/auth/refreshTokens.js';
import type { TokenResponse } from '../../../shared/contract/auth.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { Reply } from '../../support/apiServer.js';
import { JWT_SECRET, startAuth, USER_ID, type AuthServer } from '../../support/authServer.js';

type Families = Pick<Collections, 'refreshTokens'>;
type Call = () => Promise<unknown>;

const settings = { jwtSecret: JWT_SECRET, refreshTokenSeconds: 3_600 };
const account = { userId: USER_ID, username: 'a', avatar: 'https://a.example/1.png' };

describe('an exchange of a refresh token whose store falls silent', () => {
  let api: AuthServer;
  let store: Families;
  before(async () => {
    api = await startAuth();
    store = api.stores.mongo.collections;
  });
  after(() => api.close());

  const logIn = async (): Promise<string> =>
    (await beginFamily(store, settings, account)).refreshToken;
  const refresh = (refresh_token: string) =>
    api.send('POST', '/auth/refresh', {}, { refresh_token });
  /** Does an exchange that is stored, although its caller is told that the store did not answer. */
  const lose = async (token: string) => {
    const failed: unknown = await rotate(
      around(store, 'findOneAndUpdate', loseFound),
      settings,
      token,
    ).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(MongoNetworkTimeoutError);
  };

  it('may be repeated until the next token is handed out', async () => {
    const first = await logIn();
    await lose(first);
    await lose(first);
    const { refresh_token: second } = tokensOf(await refresh(first));
    const { refresh_token: third } = tokensOf(await refresh(second));
    expect((await refresh(second)).status).to.equal(403);
    expect((await refresh(third)).status, 'after a reuse').to.equal(403);
  });

  it('ends the login when it is repeated after that', async () => {
    const first = await logIn();
    await lose(first);
    const { refresh_token: second } = tokensOf(await refresh(first));
    expect((await refresh(first)).status).to.equal(403);
    expect((await refresh(second)).status).to.equal(403);
  });

  it('ends the login when a token from before it is used again', async () => {
    const first = await logIn();
    const { refresh_token: second } = tokensOf(await refresh(first));
    await lose(second);
    expect((await refresh(first)).status).to.equal(403);
    expect((await refresh(second)).status).to.equal(403);
  });

  it('says of no login that it has ended before that is stored', async () => {
    const first = await logIn();
    tokensOf(await refresh(first));
    const away = around(store, 'updateOne', () => Promise.reject(silent()));
    for (const end of [rotate, endFamily]) {
      const failed: unknown = await end(away, settings, first).catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(MongoNetworkTimeoutError);
    }
  });

  it('succeeds for one of 50 requests that repeat it', async () => {
    const first = await logIn();
    await lose(first);
    const replies = await Promise.all(Array.from({ length: 50 }, () => refresh(first)));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([200, ...Array<number>(49).fill(403)]);
  });

  it('succeeds for one of two that overlap', async () => {
    const first = await logIn();
    const replies: Reply[] = [];
    const late = around(store, 'updateOne', async (call) => {
      if (replies.length === 0) replies.push(await refresh(first));
      return await call();
    });
    const refused: unknown = await rotate(late, settings, first).catch((error: unknown) => error);
    expect(refused).to.include({ code: 'FORBIDDEN' });
    const { refresh_token: second } = tokensOf(replies[0]!);
    expect((await refresh(second)).status, 'after two uses').to.equal(403);
  });

  it('does not begin where the login itself was not stored', async () => {
    const away = around(store, 'insertOne', () => Promise.reject(silent()));
    const failed: unknown = await beginFamily(away, settings, account).catch(
      (error: unknown) => error,
    );
    expect(failed).to.be.instanceOf(MongoNetworkTimeoutError);
  });

  it('returns the token when the store falls silent after the exchange', async () => {
    const first = await logIn();
    const { refreshToken } = await rotate(
      around(store, 'updateOne', () => Promise.reject(silent())),
      settings,
      first,
    );
    tokensOf(await refresh(refreshToken));
    expect((await refresh(first)).status).to.equal(403);
  });
});

/** Makes the call, and loses the answer where it says that something was changed. */
async function loseFound(call: Call): Promise<unknown> {
  const found = await call();
  if (found !== null) throw silent();
  return found;
}

function silent(): MongoNetworkTimeoutError {
  return new MongoNetworkTimeoutError('The store did not answer', {});
}

/** The same store, with a wrapper around the calls of one method. */
function around(
  { refreshTokens }: Families,
  method: 'findOneAndUpdate' | 'updateOne' | 'insertOne',
  through: (call: Call) => Promise<unknown>,
): Families {
  return {
    refreshTokens: new Proxy(refreshTokens, {
      get(target, name) {
        const value = Reflect.get(target, name, target) as (...given: unknown[]) => unknown;
        if (name !== method) return value.bind(target);
        return (...given: unknown[]) =>
          through(() => value.apply(target, given) as Promise<unknown>);
      },
    }),
  };
}

function tokensOf(reply: Reply): TokenResponse {
  expect(reply.status, reply.body.toString()).to.equal(200);
  return reply.json() as TokenResponse;
}
