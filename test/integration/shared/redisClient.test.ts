import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createRedis, createWorkerRedis } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import { whyAway } from '../../../shared/platform/whyAway.js';
import { startProxy, urlThrough } from '../../support/apiProxy.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('createRedis', () => {
  it('counts as away, and says why, where the server has no database with the number', async () => {
    const url = new URL(readSettings().REDIS_URL);
    url.pathname = '/99999';
    // Longer than a busy machine takes to connect. The driver also waits so long for the end of the connection.
    const redis = createRedis(url.href, { timeoutMs: 20_000 });
    const why = whyAway(redis);
    try {
      await rejectionOf(redis.connect());
      await rejectionOf(redis.ping());
      expect(why()?.message).to.equal('ERR DB index is out of range');
    } finally {
      redis.disconnect();
    }
  });

  it('tells that the connection was closed where a proxy accepts it and its server is away', async () => {
    const proxy = createServer((socket) => socket.resume().end()).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const redis = createRedis(`redis://127.0.0.1:${port}`, { timeoutMs: 20_000 });
    const why = whyAway(redis);
    try {
      await rejectionOf(redis.connect());
      expect(why()?.message).to.equal('the connection was closed');
    } finally {
      redis.disconnect();
      proxy.close();
    }
  });

  it('handles every failure when a connection with a subscription is cut as soon as it is back', async () => {
    const redis = createRedis(readSettings().REDIS_URL, { timeoutMs: 120_000 });
    redis.on('error', () => undefined);
    await redis.connect();
    await redis.subscribe('test_redis_client');
    let cuts = 1;
    const info = redis.info.bind(redis) as (told: (...answer: unknown[]) => void) => unknown;
    // This call tells that the connection is ready.
    const cutting = (told: (...answer: unknown[]) => void) =>
      info((...answer) => {
        if (cuts > 0) redis.stream.end();
        cuts -= 1;
        told(...answer);
      });
    Object.assign(redis, { info: cutting });
    const unheard: unknown[] = [];
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', (reason) => unheard.push(reason));
    try {
      redis.disconnect(true);
      await once(redis, 'ready');
      await once(redis, 'ready');
      expect(await redis.ping()).to.equal('PONG');
      expect(unheard).to.deep.equal([]);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const listener of listeners) process.on('unhandledRejection', listener);
      redis.disconnect();
    }
  });
});

describe('createWorkerRedis', () => {
  it('sends a command again where its connection has fallen silent', async () => {
    const { REDIS_URL } = readSettings();
    const { hostname: host, port } = new URL(REDIS_URL);
    const proxy = await startProxy({ host, port: Number(port || 6_379) });
    const redis = createWorkerRedis(urlThrough(REDIS_URL, proxy), { silentMs: 500 });
    redis.on('error', () => undefined);
    try {
      expect(await redis.ping()).to.equal('PONG');
      proxy.strand();
      expect(await redis.ping()).to.equal('PONG');
    } finally {
      redis.disconnect();
      await proxy.close();
    }
  });
});
