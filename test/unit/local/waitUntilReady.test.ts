import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { expect } from 'chai';
import { waitForApi } from '../../../services/local/services.js';
import { waitUntilReady } from '../../../services/local/waitUntilReady.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

const CHILD = {
  pid: Promise.resolve(undefined),
  exited: new Promise<number>(() => undefined),
  logFile: '/no/such/log',
  stop: () => Promise.resolve(),
};

describe('waitForApi', () => {
  it('names the stores that did not answer, where the API was not ready in time', async () => {
    const stores = { mongodb: 'down', elasticsearch: 'up', redis: 'down' };
    const server = createServer((_request, response) => {
      response.writeHead(503).end(JSON.stringify({ stores }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const waiting = waitForApi({ name: 'The API', child: CHILD }, `http://127.0.0.1:${port}`, 1);
      expect(await rejectionOf(waiting)).to.match(
        /^The API was not ready after 0 s: no answer of MongoDB, Redis\n/,
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

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
      /^A server was not ready after 0 s: refused\n/,
    );
  });
});
