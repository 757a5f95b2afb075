import { expect } from 'chai';
import { createRedis } from '../../../../shared/platform/clients.js';
import { logFailures } from '../../../../shared/platform/logFailures.js';
import type { Logger } from '../../../../shared/platform/logger.js';

describe('logFailures', () => {
  it('logs once which Redis failed, and again after it was ready, without its password', () => {
    const redis = createRedis('redis://user:secret@cache.example:6400', { timeoutMs: 1_000 });
    const lines: object[] = [];
    const logger = { warn: (line: object) => lines.push(line) } as unknown as Logger;
    logFailures(redis, logger);
    const error = new Error('away');
    redis.emit('error', error);
    redis.emit('error', error);
    redis.emit('ready');
    redis.emit('error', error);
    const line = { err: error, redis: 'cache.example:6400' };
    expect(lines).to.deep.equal([line, line]);
  });
});
