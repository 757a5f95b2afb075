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

    it(`ends the ${service} in the same way where MongoDB accepts no database with such a name`, async () => {
      const MONGODB_URL = 'mongodb://ada:planted@127.0.0.1/forum.archive';
      expect(await startWith(service, { MONGODB_URL })).to.deep.equal({
        code: 1,
        output:
          'Wrong setting: MONGODB_URL names the database "forum.archive": MongoDB takes at most 63 bytes, without / \\ . " $ and spaces\n',
      });
    });
  }

  const bucket = {
    MIRROR_S3_BUCKET: 'archive-mirror',
    MIRROR_S3_REGION: 'us-east-1',
    MIRROR_S3_ACCESS_KEY: 'planted-key',
    MIRROR_S3_SECRET_KEY: 'planted-secret',
  };
  const places: [string, Record<string, string>][] = [
    ['MIRROR_FOLDER', { MIRROR_FOLDER: '/dev/null/mirror' }],
    ['MIRROR_FOLDER', { MIRROR_FOLDER: '/proc/mirror' }],
    ['TMPDIR', { ...bucket, TMPDIR: '/dev/null/temporary' }],
  ];
  for (const [name, env] of places) {
    it(`is a ${name} in which no file can arrive, such as ${Object.values(env).at(-1)}: it ends the indexer, and no API`, async () => {
      const { code, output } = await startWith('indexer', env);
      expect(code).to.equal(1);
      expect(output).to.match(
        new RegExp(`^Wrong setting: ${name} cannot be used: (?:ENOTDIR|ENOENT).*\\n$`),
      );
      const api = startProcess('api', { ...env, PORT: '0' });
      await api.logged('Listening');
      api.kill('SIGTERM');
      expect(await api.exited).to.equal(0);
    });
  }

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
