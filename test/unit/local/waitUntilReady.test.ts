import { mock } from 'node:test';
import { expect } from 'chai';
import { waitUntilReady } from '../../../services/local/waitUntilReady.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

const CHILD = {
  pid: Promise.resolve(undefined),
  exited: new Promise<number>(() => undefined),
  logFile: '/no/such/log',
  stop: () => Promise.resolve(),
};

describe('waitUntilReady', () => {
  it('waits as long where the clock of the machine is set meanwhile', async () => {
    let asked = 0;
    const clock = mock.method(Date, 'now', () => asked * 3_600_000);
    const isReady = () => Promise.resolve((asked += 1) > 2);
    try {
      await waitUntilReady('A server', CHILD, isReady, 600_000);
    } finally {
      clock.mock.restore();
    }
    expect(asked).to.equal(3);
  });

  it('gives up in the end, and says what was wrong', async () => {
    const refused = () => Promise.reject(new Error('refused'));
    expect(await rejectionOf(waitUntilReady('A server', CHILD, refused, 1))).to.match(
      /^A server was not ready after 0 s: Error: refused\n/,
    );
  });
});
