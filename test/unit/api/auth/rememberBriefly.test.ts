import { expect } from 'chai';
import { rememberBriefly } from '../../../../services/api/auth/rememberBriefly.js';
import { stopPerformance } from '../../../support/stopPerformance.js';

describe('rememberBriefly', () => {
  const time = stopPerformance();

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
      time.now += 900;
      return Promise.resolve({});
    });
    await find('a');
    await find('a');
    expect(asked).to.equal(2);
  });
});
