import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { runLoad, type LoadJob } from '../../../bench/load/runLoad.js';

describe('the load client of the benchmarks', function () {
  // While this process stands still, nothing is sent. Where it did so all the time of a measurement, it measures again.
  this.retries(9);
  let server: Server;

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function load(listener: RequestListener, more: Partial<LoadJob> = {}) {
    server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return runLoad({
      url: `http://127.0.0.1:${port}`,
      paths: ['/a', '/b'],
      headers: { 'X-Test': 'yes' },
      status: 200,
      connections: 3,
      warmUpSeconds: 0.05,
      seconds: 0.2,
      pids: { Server: process.pid },
      ...more,
    });
  }

  it('asks all paths in turn over connections that stay open', async () => {
    const counts: Record<string, number> = {};
    let connections = 0;
    const result = await load(
      (request, response) => {
        counts[request.url!] = (counts[request.url!] ?? 0) + 1;
        expect(request.headers['x-test']).to.equal('yes');
        response.end('hello');
      },
      { connections: 3 },
    );
    await new Promise<void>((resolve) => {
      server.getConnections((_error, count) => {
        connections = count;
        resolve();
      });
    });
    expect(connections).to.be.at.most(3);
    expect(Math.abs(counts['/a']! - counts['/b']!)).to.be.at.most(1);
    expect(result.failures).to.equal(0);
    expect(result.requests).to.be.greaterThan(0);
    expect(result.perSecond).to.be.greaterThan(0);
    expect(result.p50).to.be.greaterThan(0);
    expect(result.max).to.be.at.least(result.p99);
    expect(result.megabytes['Server']).to.be.greaterThan(10);
  });

  it('reads bodies in chunks, empty ones and large ones to their end', async () => {
    let asked = 0;
    const result = await load((_request, response) => {
      asked += 1;
      response.flushHeaders();
      if (asked % 3 === 1) response.write('0\r\n\r\n');
      if (asked % 3 === 2) response.write(Buffer.alloc(600_000, '\r\n0\r\n'));
      response.end();
    });
    expect(asked).to.be.greaterThan(6);
    expect(result.failures).to.equal(0);
  });

  it('follows a server that closes each connection', async () => {
    const result = await load((_request, response) => {
      response.setHeader('Connection', 'close').end('bye');
    });
    expect(result.requests).to.be.greaterThan(0);
    expect(result.failures).to.equal(0);
  });

  it('counts answers with another status, and broken ones', async () => {
    let asked = 0;
    const result = await load((request, response) => {
      asked += 1;
      if (asked % 2 === 0) request.socket.destroy();
      else response.writeHead(503).end();
    });
    expect(result.failures).to.be.greaterThan(2);
    expect(result.wrongStatuses.toSorted()).to.deep.equal([0, 503]);
  });

  it('asks at a constant rate, and counts the waiting when answers are late', async () => {
    const result = await load(
      (_request, response) => {
        setTimeout(() => response.end('late'), 50);
      },
      // One connection answers 20 requests a second, but 100 a second are due.
      { connections: 1, perSecond: 100, warmUpSeconds: 0, seconds: 0.5 },
    );
    expect(result.failures).to.equal(0);
    expect(result.max).to.be.greaterThan(100);
  });

  it('counts the waiting of requests that were due while it stood still itself', async () => {
    let asked = 0;
    const standStill = (): void => {
      for (const end = performance.now() + 800; performance.now() < end;);
    };
    const result = await load(
      (_request, response) => {
        asked += 1;
        if (asked === 5) standStill();
        response.end();
      },
      { perSecond: 100, warmUpSeconds: 0, seconds: 1 },
    );
    expect(result.p50).to.be.greaterThan(100);
  });

  it('counts requests that were due while the clock ran, and were sent only after it had stopped', async () => {
    const began = performance.now();
    const result = await load(
      (_request, response) => {
        // The only connection waits for one answer until the clock has stopped.
        const elapsed = performance.now() - began;
        setTimeout(() => response.end(), elapsed < 300 ? 0 : Math.max(0, 1_500 - elapsed));
      },
      { connections: 1, perSecond: 100, warmUpSeconds: 0.1, seconds: 0.8 },
    );
    expect(result.failures).to.equal(0);
    expect(result.requests).to.be.within(70, 90);
    expect(result.p50).to.be.greaterThan(500);
  });

  it('fails where nothing listens', async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    const error = await runLoad({
      url: `http://127.0.0.1:${port}`,
      paths: ['/'],
      headers: {},
      status: 200,
      connections: 1,
      warmUpSeconds: 0,
      seconds: 0.1,
      pids: {},
    }).catch((reason: unknown) => reason);
    expect(String(error)).to.contain('ECONNREFUSED');
  });
});
