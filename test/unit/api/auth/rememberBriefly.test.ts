import { expect } from 'chai';
import { rememberBriefly } from '../../../../services/api/auth/rememberBriefly.js';

describe('rememberBriefly', () => {
  const real = performance.now.bind(performance);
  let now: number;
  beforeEach(() => {
    now = 1_000;
    performance.now = () => now;
  });
  afterEach(() => {
    performance.now = real;
  });

  it('reuses what was found, but neither an absence nor a failure', async () => {
    const found = {};
    const answers: (() => Promise<object | null>)[] = [
      () => Promise.reject(new Error('away')),
      () => Promise.resolve(null),
      () => Promise.resolve(found),
    ];
    let asked = 0;
    const find = rememberBriefly<object>(() => answers[asked++]!());
    const failure: unknown = await find('a').catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'away');
    expect([await find('a'), await find('a'), await find('a')]).to.deep.equal([null, found, found]);
    expect(asked).to.equal(3);
  });

  it('counts the time from the beginning of a look-up, during which something may be revoked', async () => {
    let asked = 0;
    const find = rememberBriefly<object>(() => {
      asked += 1;
      now += 900;
      return Promise.resolve({});
    });
    await find('a');
    await find('a');
    expect(asked).to.equal(2);
  });
});
