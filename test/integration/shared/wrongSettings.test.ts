import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { startProcess } from '../../support/serviceProcess.js';

describe('a wrong setting', () => {
  /** What a service prints with these settings, and how it ends. */
  const startWith = async (service: 'api' | 'indexer', env: Record<string, string>) => {
    const started = startProcess(service, env);
    const code = await started.exited;
    return { code, output: started.output() };
  };

  for (const service of ['api', 'indexer'] as const) {
    it(`ends the ${service} with one line for each, and no stack trace`, async () => {
      const { code, output } = await startWith(service, { PORT: 'x', CACHE_MEGABYTES: '-1' });
      expect(code).to.equal(1);
      expect(output.trim().split('\n').sort()).to.deep.equal([
        'Wrong setting: CACHE_MEGABYTES must be greater than or equal to 0',
        'Wrong setting: PORT must be a number',
      ]);
    });

    it(`ends the ${service} in the same way where MongoDB's client does not know an option`, async () => {
      const MONGODB_URL = 'mongodb://ada:planted@127.0.0.1/x?bogus=1';
      const { code, output } = await startWith(service, { MONGODB_URL });
      expect(code).to.equal(1);
      expect(output).to.match(/^Wrong setting: MONGODB_URL cannot be used: .*bogus.*\n$/);
      expect(output).not.to.contain('planted');
    });
  }

  it('is a folder of the mirror that cannot be made: it ends the indexer, and no API', async () => {
    const env = { MIRROR_FOLDER: '/dev/null/mirror' };
    const { code, output } = await startWith('indexer', env);
    expect(code).to.equal(1);
    expect(output).to.match(/^Wrong setting: MIRROR_FOLDER cannot be used: ENOTDIR.*\n$/);
    const api = startProcess('api', { ...env, PORT: '0' });
    await api.logged('Listening');
    api.kill('SIGTERM');
    expect(await api.exited).to.equal(0);
  });

  it('ends the process where another program listens on the port', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    try {
      const { code, output } = await startWith('api', { PORT: String(port), LOG_LEVEL: 'silent' });
      expect([code, output]).to.deep.equal([
        1,
        `Wrong setting: PORT ${port} of 127.0.0.1 cannot be listened on: another program does already\n`,
      ]);
    } finally {
      taken.close();
    }
  });
});
