import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { followAnnouncements } from '../../../services/api/redis/followAnnouncements.js';
import { createRedis } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import { startProxy, urlThrough } from '../../support/apiProxy.js';
import { until } from '../../support/apiServer.js';
import { withOwnRedis } from '../../support/withOwnRedis.js';

describe('followAnnouncements', () => {
  it('tells that announcements arrive only once Redis has confirmed the subscription', async () => {
    const { hostname, port } = new URL(readSettings().REDIS_URL);
    const proxy = await startProxy({ host: hostname, port: Number(port) });
    const redis = createRedis(urlThrough(readSettings().REDIS_URL, proxy), { timeoutMs: 120_000 });
    // The subscription cannot reach Redis.
    const ready = new Promise<void>((resolve) =>
      redis.once('ready', () => {
        proxy.freeze();
        resolve();
      }),
    );
    let isHeard = false;
    const cache = {
      drop: () => undefined,
      clear: () => undefined,
      resume: () => (isHeard = true),
      suspend: () => (isHeard = false),
    };
    const logger = pino({ level: 'silent' });
    const subscription = followAnnouncements(redis, `test:${randomUUID()}`, cache, logger);
    try {
      await ready;
      await setImmediate();
      expect(isHeard).to.equal(false);
      proxy.thaw();
      await until(() => isHeard);
    } finally {
      subscription.stop();
      await proxy.close();
    }
  });

  it('tells why Redis refuses the subscription, and subscribes once that is allowed', async () => {
    const withoutChannels = ['SETUSER', 'reader', 'on', '>pw', '~*', '+@all', 'resetchannels'];
    await withOwnRedis(
      (redis) => redis.call('ACL', withoutChannels),
      async (url) => {
        const redis = createRedis(url, { timeoutMs: 120_000 });
        const address = Object.assign(new URL(url), { username: 'reader', password: 'pw' });
        const reader = createRedis(address.href, { timeoutMs: 120_000 });
        const lines: string[] = [];
        const logger = pino({}, { write: (line) => void lines.push(line) });
        let isHeard = false;
        const cache = {
          drop: () => undefined,
          clear: () => undefined,
          resume: () => (isHeard = true),
          suspend: () => undefined,
        };
        const subscription = followAnnouncements(reader, 'x:announcements', cache, logger);
        try {
          await until(() => lines.length > 0);
          expect(lines[0]).to.contain('Redis refuses the announcements').and.contain('NOPERM');
          expect(isHeard).to.equal(false);
          await redis.connect();
          await redis.call('ACL', ['SETUSER', 'reader', '&x:announcements']);
          await until(() => isHeard);
        } finally {
          subscription.stop();
          redis.disconnect();
        }
      },
    );
  });
});
