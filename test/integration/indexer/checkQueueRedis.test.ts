import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { checkQueueRedis } from '../../../services/indexer/checkQueueRedis.js';
import { ReplyError } from '../../../shared/drivers/ioredis.js';
import { createRedis, createWorkerRedis } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('checkQueueRedis', () => {
  let redis: Redis;
  const lines: string[] = [];
  const logger = createLogger('test', 'warn', { write: (line) => void lines.push(line) });
  const user = `test_${randomUUID().slice(0, 8)}`;

  before(async () => {
    redis = createRedis(readSettings().REDIS_URL, { timeoutMs: 120_000 });
    await redis.connect();
  });
  after(async () => {
    await redis.acl('DELUSER', user);
    redis.disconnect();
  });
  beforeEach(() => void lines.splice(0));

  /** Runs the check as a user of Redis whose password is `pencil`, with the given password. */
  const checkAs = async (password: string): Promise<void> => {
    const url = new URL(readSettings().REDIS_URL);
    const connection = createWorkerRedis(Object.assign(url, { username: user, password }).href);
    connection.on('error', () => undefined);
    try {
      await checkQueueRedis(connection, logger);
    } finally {
      connection.disconnect();
    }
  };

  it('takes a Redis that keeps every key', async () => {
    await checkQueueRedis(redis, logger);
    expect(lines).to.deep.equal([]);
  });

  it('warns where the server has no CONFIG, or does not let the user read it', async () => {
    await redis.acl('SETUSER', user, 'on', '>pencil', '~*', '&*', '+@all', '-config');
    await checkAs('pencil');
    const message = 'ERR Command is not available';
    const refused = Object.assign(new ReplyError(message), { command: { name: 'config' } });
    const managed = aRedis(() => Promise.reject(refused));
    await checkQueueRedis(managed, logger);
    expect(lines).to.have.length(2);
    for (const line of lines) expect(line).to.contain('noeviction');
  });

  it('fails with a wrong password, and without a required one', async () => {
    await redis.acl('SETUSER', user, 'on', '>pencil', '~*', '&*', '+@all');
    expect(await rejectionOf(checkAs('wrong'))).to.contain('WRONGPASS');
    const needed = Object.assign(new ReplyError('NOAUTH Authentication required.'), {
      command: { name: 'config' },
    });
    const closed = aRedis(() => Promise.reject(needed));
    expect(await rejectionOf(checkQueueRedis(closed, logger))).to.contain('NOAUTH');
    expect(lines).to.deep.equal([]);
  });

  it('refuses a Redis that evicts keys, and names the setting', async () => {
    const evicting = aRedis(() => Promise.resolve(['maxmemory-policy', 'allkeys-lru']));
    const message = await rejectionOf(checkQueueRedis(evicting, logger));
    expect(message)
      .to.contain('REDIS_URL')
      .and.to.contain('allkeys-lru')
      .and.to.contain('noeviction');
  });

  it('refuses a Redis that is too old for the queue, and tells both versions', async () => {
    const config = () => Promise.resolve(['maxmemory-policy', 'noeviction']);
    for (const old of ['5.0.14', '6.0.20'])
      expect(await rejectionOf(checkQueueRedis(aRedis(config, old), logger))).to.contain(
        `version ${old}: at least 6.2.0 is needed`,
      );
    for (const version of ['6.2.0', '7.2.4', '10.0.0'])
      await checkQueueRedis(aRedis(config, version), logger);
    expect(lines).to.deep.equal([]);
  });
});

/** A server that answers CONFIG in this way. */
function aRedis(config: () => Promise<string[]>, version = '7.4.0'): Redis {
  const info = () => Promise.resolve(`# Server\r\nredis_version:${version}\r\nredis_mode:x\r\n`);
  return { config, info } as unknown as Redis;
}
