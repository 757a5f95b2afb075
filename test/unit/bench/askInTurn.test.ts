import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { askInTurn } from '../../../bench/load/askInTurn.js';

/** Asks a server 50 times a second, for so long (ms). Resolves with the times of the answers (ms). */
async function ask(listener: RequestListener, forMs: number): Promise<number[]> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const began = performance.now();
  let endedAt = Infinity;
  void pause(forMs).then(() => (endedAt = performance.now()));
  const asked = { url, paths: ['/a', '/b'], headers: {}, perSecond: 50, first: began };
  try {
    return await askInTurn({ ...asked, endedAt: () => endedAt });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('requests of a benchmark that are asked in turn', () => {
  it('all count that were due, also those that had to wait beyond the end', async () => {
    const paths: string[] = [];
    const times = await ask(({ url = '' }, response) => {
      paths.push(url);
      // From the tenth request on, the server stands still for longer than it is asked.
      if (paths.length === 10) setTimeout(() => response.end(), 1_000);
      else response.end();
    }, 500);
    expect(paths.slice(0, 3)).to.deep.equal(['/a', '/b', '/a']);
    // 25 were due in half a second, or more where this process was held up.
    expect(times.length).to.be.at.least(25);
    expect(times.filter((ms) => ms > 300).length).to.be.at.least(15);
  });

  it('must all be answered 200', async () => {
    const failing = ask((_request, response) => response.writeHead(503).end(), 500);
    const reason = await failing.catch((error: unknown) => String(error));
    expect(reason).to.equal('Error: GET /a was answered 503');
  });
});
