import { expect } from 'chai';
import { SYSTEM_CLOCK } from '../../../../shared/discordApi/clock.js';
import { isTimeLimit } from '../../../../shared/platform/storeErrors.js';

describe('the clock of the client of the platform', () => {
  it('tells a time limit that ends a sleep', async () => {
    const slept = SYSTEM_CLOCK.sleep(60_000, AbortSignal.timeout(1));
    expect(isTimeLimit(await slept.catch((error: unknown) => error))).to.equal(true);
  });

  it('gives the reason of an abort, also where that came before', async () => {
    const reason = new Error('It stops');
    const slept = SYSTEM_CLOCK.sleep(60_000, AbortSignal.abort(reason));
    expect(await slept.catch((error: unknown) => error)).to.equal(reason);
  });
});
