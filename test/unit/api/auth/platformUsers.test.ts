import { expect } from 'chai';
import { AskedToWait, PlatformAway } from '../../../../services/api/auth/askPlatform.js';
import { createPlatform, type Platform } from '../../../../services/api/auth/platform.js';
import type { PlatformProfile } from '../../../../services/api/auth/platformProfile.js';
import { createPlatformUsers } from '../../../../services/api/auth/platformUsers.js';
import { invalidCredential } from '../../../../services/api/auth/refusals.js';
import { readSettings } from '../../../../shared/platform/env.js';
import type { AppError } from '../../../../shared/contract/errors.js';
import { createLogger } from '../../../../shared/platform/logger.js';
import { until } from '../../../support/apiServer.js';
import { CLIENT_ID, REDIRECT_URI, startPlatform } from '../../../support/platformDouble.js';
import { stayInMinute } from '../../../support/stayInMinute.js';
import { stopPerformance } from '../../../support/stopPerformance.js';

const user: PlatformProfile = {
  id: '42',
  username: 'ann',
  avatar: 'https://a.example/1.png',
  scope: ['identify', 'guilds'],
  guilds: [],
};
/** The profile for a token whose servers the platform has refused to show. */
const userAlone: PlatformProfile = {
  id: '43',
  username: 'bea',
  avatar: 'https://a.example/2.png',
  scope: ['identify'],
};

/** A platform that only tells whose token it is. */
function aPlatform(findProfile: Platform['findProfile']): Pick<Platform, 'findProfile'> {
  return { findProfile };
}

/** How a look-up ended: `found`, or its status and the seconds to wait. */
async function outcome(asked: Promise<unknown>): Promise<string> {
  try {
    await asked;
    return 'found';
  } catch (error) {
    const { status, headers } = error as AppError;
    return `${status} ${headers['Retry-After'] ?? ''}`.trim();
  }
}

describe('createPlatformUsers', () => {
  stayInMinute();

  it('stops asking after too many refusals, which no single address can cause', async () => {
    let asked = 0;
    const find = createPlatformUsers(
      aPlatform((token) => {
        asked += 1;
        return token === 'good'
          ? Promise.resolve(user)
          : Promise.reject(invalidCredential('token'));
      }),
    );
    const { RATE_LIMIT_FAILED_CREDENTIALS: ofOneAddress } = readSettings({});
    for (let n = 0; n < ofOneAddress + 100; n += 1) {
      expect(await outcome(find(`bad ${n}`)), `${n}`).to.equal('403');
    }
    expect(await outcome(find('good'))).to.equal('found');
    for (let n = 0; n < 60; n += 1) await outcome(find(`worse ${n}`));
    expect(await outcome(find('other'))).to.equal('503 60');
    expect(await outcome(find('good')), 'who is remembered').to.equal('found');
    expect(asked).to.equal(451);
  });

  it('counts a token as refused whose servers the platform does not show', async () => {
    let asked = 0;
    const find = createPlatformUsers(
      aPlatform(() => {
        asked += 1;
        return Promise.resolve(userAlone);
      }),
    );
    for (let n = 0; n < 450; n += 1) expect(await outcome(find(`${n}`)), `${n}`).to.equal('found');
    expect(await outcome(find('one too many'))).to.equal('503 60');
    expect(await outcome(find('0')), 'who is remembered').to.equal('found');
    expect(asked).to.equal(450);
  });

  for (const mood of ['blocked', 'barred'] as const) {
    it(`counts a request that was refused before the platform: ${mood}`, async () => {
      const double = await startPlatform();
      double.mood = mood;
      const settings = {
        apiUrl: double.url,
        authorizeUrl: double.url,
        clientId: CLIENT_ID,
        clientSecret: 'secret',
        redirectUri: REDIRECT_URI,
      };
      const find = createPlatformUsers(
        createPlatform(settings, createLogger('test', 'silent')),
        900,
      );
      const outcomes = [await outcome(find('one')), await outcome(find('another'))];
      await double.close();
      expect(outcomes).to.deep.equal(['503 5', '503 60']);
      expect(double.requests).to.deep.equal(['GET /users/@me']);
    });
  }

  it('counts neither what failed otherwise, nor the refusals of the minute before', async () => {
    let fails = true;
    const find = createPlatformUsers(
      aPlatform(() => Promise.reject(fails ? new PlatformAway('x') : invalidCredential('token'))),
      900,
    );
    for (let n = 0; n < 3; n += 1) expect(await outcome(find(`away ${n}`))).to.equal('503 5');
    fails = false;
    expect(await outcome(find('bad'))).to.equal('403');
    expect(await outcome(find('worse'))).to.equal('503 60');
    const before = Date.now;
    Date.now = () => before() + 60_000;
    expect(await outcome(find('worse'))).to.equal('403');
  });

  it('lets a token that has used up its own limit wait for what is left of its time, and no longer', async () => {
    const stopped = new Set<string>();
    const find = createPlatformUsers(
      aPlatform((token) => {
        if (stopped.has(token)) return Promise.resolve(user);
        stopped.add(token);
        return Promise.reject(new AskedToWait(Number(token), false));
      }),
    );
    for (const token of ['1', '600']) expect(await outcome(find(token))).to.equal(`503 ${token}`);
    await until(async () => (await outcome(find('1'))) === 'found');
    await until(async () => (await outcome(find('600'))) !== '503 600');
    expect(await outcome(find('600'))).to.match(/^503 5\d\d$/);
  });

  it('shares what may be refused among the processes of a machine', async () => {
    let asked = 0;
    const find = createPlatformUsers(
      aPlatform(() => {
        asked += 1;
        return Promise.reject(invalidCredential('token'));
      }),
      8,
    );
    for (let n = 0; n < 120; n += 1) await outcome(find(`bad ${n}`));
    expect(asked).to.equal(112);
  });

  it('forgets those who were remembered first, before all take too much memory', async () => {
    const guild = { id: '1'.repeat(18), name: 'x'.repeat(100), icon: 'f'.repeat(32) };
    const onMany = { ...user, guilds: Array.from({ length: 200 }, () => guild) };
    let asked = 0;
    const find = createPlatformUsers(
      aPlatform(() => {
        asked += 1;
        return Promise.resolve(onMany);
      }),
    );
    for (let n = 0; n < 600; n += 1) await find(`${n}`);
    await find('599');
    expect(asked).to.equal(600);
    await find('0');
    expect(asked).to.equal(601);
  });

  it('has no more look-ups under way than may still be refused', async () => {
    const waiting: (() => void)[] = [];
    const find = createPlatformUsers(
      aPlatform((token) =>
        token.startsWith('bad')
          ? Promise.reject(invalidCredential('token'))
          : new Promise((resolve) => waiting.push(() => resolve(user))),
      ),
    );
    for (let n = 0; n < 440; n += 1) await outcome(find(`bad ${n}`));
    const first = Array.from({ length: 10 }, (_, n) => outcome(find(`token ${n}`)));
    expect(await outcome(find('one too many'))).to.equal('503 1');
    for (const answer of waiting) answer();
    expect(new Set(await Promise.all(first))).to.deep.equal(new Set(['found']));
  });
});

describe('a user whom createPlatformUsers remembers', () => {
  const time = stopPerformance();

  /** How a token is answered that is revoked once it was looked up, `laterMs` after that began. */
  const answerOf = async (laterMs: number, lookUpMs = 0): Promise<string> => {
    let isRevoked = false;
    const find = createPlatformUsers(
      aPlatform(() => {
        time.now += lookUpMs;
        return isRevoked ? Promise.reject(invalidCredential('token')) : Promise.resolve(user);
      }),
    );
    expect(await outcome(find('token'))).to.equal('found');
    isRevoked = true;
    time.now += laterMs - lookUpMs;
    return await outcome(find('token'));
  };

  it('is asked for again after a minute, because the token may have been revoked', async () => {
    expect(await answerOf(60_000)).to.equal('found');
    expect(await answerOf(60_001)).to.equal('403');
  });

  it('is remembered from the beginning of the look-up, during which the token may be revoked', async () => {
    expect(await answerOf(60_000, 9_000)).to.equal('found');
    expect(await answerOf(60_001, 9_000)).to.equal('403');
  });
});
