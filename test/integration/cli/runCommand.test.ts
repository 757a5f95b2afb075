import { mock } from 'node:test';
import { expect } from 'chai';
import { MongoNetworkError } from 'mongodb';
import { runCommand } from '../../../services/cli/runCommand.js';
import { readSettings } from '../../../shared/platform/env.js';
import { proxiedServer } from '../../support/proxiedServer.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('runCommand', () => {
  const { REDIS_URL } = process.env;
  afterEach(() => {
    process.env['REDIS_URL'] = REDIS_URL;
    mock.reset();
  });

  it('names the store that goes away while the command works', async () => {
    const redis = await proxiedServer(readSettings().REDIS_URL);
    process.env['REDIS_URL'] = redis.url;
    mock.method(process.stderr, 'write', () => true);
    const command = runCommand({}, async ({ producer: { queue } }) => {
      await queue.waitUntilReady();
      await redis.kill();
      await queue.getJobCounts();
      return { json: {}, lines: [], ok: true };
    });
    try {
      expect(await rejectionOf(command)).to.match(/^Redis cannot be reached: /);
    } finally {
      await redis.close();
    }
  });

  it('names the store that was away while the command worked, and answers again', async () => {
    mock.method(process.stderr, 'write', () => true);
    for (const [error, store] of [
      [new MongoNetworkError('connection 3 closed'), 'MongoDB'],
      [new Error('Command timed out'), 'Redis'],
    ] as const) {
      const told = await rejectionOf(runCommand({}, () => Promise.reject(error)));
      expect(told).to.equal(
        `${store} did not answer for a while, and answers now: run the command again (${error.message})`,
      );
    }
  });

  it('leaves an error as it is that comes from no store', async () => {
    mock.method(process.stderr, 'write', () => true);
    const error = new TypeError('x is not a function');
    const told = await rejectionOf(runCommand({}, () => Promise.reject(error)));
    expect(told).to.equal(error.message);
  });
});
